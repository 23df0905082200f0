// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_INTERCONNECT_H_
#define COOLSPAN_FORMATS_INTERCONNECT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/graph.h"

namespace coolspan {

// The routers of a dragonfly, sorted by group, chassis and slot, and the links
// between them.
struct Interconnect {
  GraphPlan plan;                    // kind "dragonfly"
  std::vector<std::string> routers;  // "(GROUP:CHASSIS:SLOT)", by vertex
};

// Reads the dump of a Cray Aries network, plain or gzip: one line
// "PORT(GROUP:CHASSIS:SLOT) COLOUR -> END" per router port. Green and black
// ports have links within the group, blue ports to other groups; their END is
// the port of another router or "unused". The END of a ptile port is
// "processor" or "unused". A link may be listed at one end or at both.
// nodes_at_router: nodes per router; by default half the processor ports of the
// router, rounded up: an Aries router has eight for four nodes.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a line of
// another form, a green or black link between groups and a blue link within a
// group.
absl::StatusOr<Interconnect> ReadInterconnect(
    const std::string& path, std::optional<NodeCount> nodes_at_router);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_INTERCONNECT_H_
