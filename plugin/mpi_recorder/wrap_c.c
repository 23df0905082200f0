// SPDX-License-Identifier: GPL-3.0-or-later
#include "wrap.h"

#define COUNT int
#define OFFSET int
#define COUNTS ints
#define NAMED(prefix, name) prefix##name

#include "c_wrappers.h"

// Without a variant for large counts.
BLOCKING(Fetch_and_op, FETCH_AND_OP_PARAMS, CountFetchAndOp)
BLOCKING(Compare_and_swap, COMPARE_AND_SWAP_PARAMS, CountCompareAndSwap)
#ifdef HAVE_PARTITIONED
PERSISTENT_INFO(Psend_init, PSEND_PARAMS, CountPartitionedSend)
#endif
