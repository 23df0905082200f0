// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_SPAN_KIND_H_
#define COOLSPAN_POLICY_LINEAR_SPAN_KIND_H_

#include "core/topology.h"
#include "ordering/ordering.h"

namespace coolspan {

// The span that policies on an ordering minimize if no interval fits.
enum class SpanKind {
  kOfOrdering,  // ring where the ordering closes, else linear
  kRing,
  kLinear,
};

// kRing or kLinear. An ordering closes if its first and its last node are at
// most one hop apart; elsewhere a set across the ends has a short ring span and
// long distances.
SpanKind SpanOn(SpanKind kind, const Ordering& ordering,
                const Topology& topology);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_SPAN_KIND_H_
