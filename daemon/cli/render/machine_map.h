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

// A job and its nodes.
struct MapJob {
  std::uint32_t job_id = 0;
  std::string state;  // "committed", "tentative", "suspended", "disputed"
  std::string hostlist;
  std::vector<NodeId> nodes;
};

// The jobs on a machine.
struct Occupancy {
  NodeCount node_count = 0;
  std::optional<Grid> grid;  // if the machine has coordinates
  std::vector<MapJob> jobs;
  std::vector<NodeId> unavailable =
      {};  // down or drained, with or without jobs
};

struct MapStyle {
  bool colour = false;    // SGR escape codes, 256 colours, half blocks
  unsigned columns = 80;  // width of the terminal
};

// Draws a map and its legend as text. A mesh of two dimensions is one grid, y
// downwards; one of more dimensions has a grid for each x-y plane, side by
// side; one of one dimension, or a machine without coordinates, is a wrapped
// strip in node order. Each job has a letter and a colour; cells of committed
// jobs are filled, those of tentative and suspended ones are not. Unavailable
// nodes without a job have an x. A machine too
// large for the terminal is scaled down: each cell shows the most frequent
// state of its nodes.
std::string DrawMap(const Occupancy& occupancy, MapStyle style);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_MACHINE_MAP_H_
