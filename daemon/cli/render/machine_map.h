// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_MACHINE_MAP_H_
#define COOLSPAN_CLI_RENDER_MACHINE_MAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// A job and the nodes it has.
struct MapJob {
  std::uint32_t job_id = 0;
  std::string state;  // "committed", "tentative", "suspended", "disputed"
  std::string hostlist;
  std::vector<NodeId> nodes;
};

// Who is where on a machine.
struct Occupancy {
  NodeCount node_count = 0;
  std::optional<Grid> grid;  // where the machine has coordinates
  std::vector<MapJob> jobs;
};

struct MapStyle {
  bool colour = false;    // SGR escape codes, 256 colours, half blocks
  unsigned columns = 80;  // width of the terminal
};

// The map as text, a legend below it. Meshes of two dimensions are a grid, y
// downwards; of more, one grid for each x-y plane, side by side;
// one-dimensional ones and machines without coordinates a strip in node order,
// wrapped. A letter and a colour stand for a job; filled cells are committed,
// unfilled ones tentative or suspended. What is too large for the terminal is
// scaled down: a cell then shows what most of its nodes are.
std::string DrawMap(const Occupancy& occupancy, MapStyle style);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_MACHINE_MAP_H_
