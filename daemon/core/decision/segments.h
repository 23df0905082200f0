// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_DECISION_SEGMENTS_H_
#define COOLSPAN_CORE_DECISION_SEGMENTS_H_

#include <optional>
#include <span>
#include <string_view>

#include "core/allocation.h"
#include "core/blocks.h"
#include "core/budget.h"
#include "core/policy.h"
#include "core/request.h"

namespace coolspan {

// Why a request for segments can never be placed on the topology; empty: it
// can.
std::string_view ReasonAgainstSegments(const Topology& topology,
                                       const Request& request);

// Places a request segment by segment, each in one block (RuleFor). Of the
// blocks with room for a segment, those with the fewest free nodes are tried
// first, so that larger idle blocks stay whole, as in Slurm's topology/block;
// among blocks with as many, the policy chooses: it is asked for the segment
// anywhere in them, and the block with most of its nodes is taken. Then the
// policy chooses the nodes in the block. The block of a consolidated request is
// chosen in the same way before. nullopt: the request does not fit.
// REQUIRES that ReasonAgainstSegments is empty.
std::optional<Allocation> PlaceSegments(const Policy& policy,
                                        const MachineView& view,
                                        const Request& request, Budget& budget,
                                        Trace& trace);

// Whether the nodes, ascending, are whole segments of the request.
bool AreSegments(const Blocks& blocks, std::span<const NodeId> nodes,
                 const Request& request);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_DECISION_SEGMENTS_H_
