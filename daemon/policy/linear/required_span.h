// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_REQUIRED_SPAN_H_
#define COOLSPAN_POLICY_LINEAR_REQUIRED_SPAN_H_

#include <span>
#include <vector>

#include "core/types.h"
#include "policy/policy_options.h"

namespace coolspan {

struct RequiredSpan {
  NodeCount span = 0;
  Rank start = 0;  // of the window, which may run past the last rank
  std::vector<Rank> ranks;
};

// `count` free ranks of minimum span that include the required ones.
// O(free ranks).
// free: all free ranks, ascending.
// required: a subset of free, ascending, not empty.
// count: |required| to |free|.
// size: number of ranks of the ordering.
// Ties: the smallest start. If the window has more free ranks than needed, the
// ones nearest to its start.
RequiredSpan MinimumSpanWith(std::span<const Rank> free,
                             std::span<const Rank> required, NodeCount count,
                             NodeCount size, SpanKind kind);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_REQUIRED_SPAN_H_
