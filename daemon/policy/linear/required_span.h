// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_REQUIRED_SPAN_H_
#define COOLSPAN_POLICY_LINEAR_REQUIRED_SPAN_H_

#include <span>
#include <vector>

#include "core/types.h"
#include "policy/table.h"

namespace coolspan {

// Ranks of least span that include the required ones. O(free ranks).
struct RequiredSpan {
  NodeCount span = 0;
  Rank start = 0;  // of the window, which may run past the last rank
  std::vector<Rank> ranks;
};

// free: all free ranks, ascending. required: some of them, at least one,
// ascending. count: from |required| to |free|. size: of the ordering.
// Of windows of equal span the one that starts first; in a window with more
// free ranks than needed, those nearest its start.
RequiredSpan MinimumSpanWith(std::span<const Rank> free,
                             std::span<const Rank> required, NodeCount count,
                             NodeCount size, SpanKind kind);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_REQUIRED_SPAN_H_
