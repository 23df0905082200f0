// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/span_kind.h"

namespace coolspan {

SpanKind SpanOn(SpanKind kind, const Ordering& ordering,
                const Topology& topology) {
  if (kind != SpanKind::kOfOrdering) return kind;
  const Hops apart =
      topology.Distance(ordering.nodes().front(), ordering.nodes().back());
  return apart <= 1 ? SpanKind::kRing : SpanKind::kLinear;
}

}  // namespace coolspan
