// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_MAP_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_MAP_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/console.h"

namespace coolspan {

// What `coolspan map` prints.
enum class MapOutput { kReport, kRankfile, kHostfile };

struct MapReport {
  std::string method;
  std::string pattern;                      // its file or kind
  double bytes = 0;                         // of the pattern
  std::vector<std::string> nodes;           // the job's, in order of their ids
  std::vector<std::uint32_t> rank_to_node;  // index in nodes, by rank
  double cost = 0;                          // bytes x hops
  double in_order_cost = 0;
  bool stopped_early = false;
};

// kRankfile: Open MPI's, "rank 0=n1 slot=0": slots of a node count its ranks.
// kHostfile: a name per rank, in the order of ranks.
void PrintMapReport(const MapReport& report, MapOutput output,
                    const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_MAP_REPORT_H_
