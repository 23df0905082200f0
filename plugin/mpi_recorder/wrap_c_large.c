// SPDX-License-Identifier: GPL-3.0-or-later
// The variants of MPI 4 for large counts.
#include "wrap.h"

#ifdef HAVE_LARGE_COUNTS

#define COUNT MPI_Count
#define OFFSET MPI_Aint
#define COUNTS large
#define NAMED(prefix, name) prefix##name##_c

#include "c_wrappers.h"

#endif
