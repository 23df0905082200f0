// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_INTERCONNECT_H_
#define COOLSPAN_FORMATS_INTERCONNECT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/graph.h"

namespace coolspan {

// A dragonfly's routers by group, chassis and slot, and the links between them.
struct Interconnect {
  GraphPlan plan;                    // kind "dragonfly"
  std::vector<std::string> routers;  // "(GROUP:CHASSIS:SLOT)", by vertex
};

// Reads the dump of a Cray Aries network, plain or gzip: a line
// "PORT(GROUP:CHASSIS:SLOT) COLOUR -> END" for each port of each router. green
// and black ports have links inside the group, blue ones to other groups, and
// END is the port of another router or "unused"; that of a ptile port is
// "processor" or "unused". Links may stand at one of their ends or both.
// nodes_at_router: of each router; where it is not given, half the processor
// ports of each, rounded up, as an Aries has eight for four nodes.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is no
// such line, a local link between groups, a global one inside a group.
absl::StatusOr<Interconnect> ReadInterconnect(
    const std::string& path, std::optional<NodeCount> nodes_at_router);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_INTERCONNECT_H_
