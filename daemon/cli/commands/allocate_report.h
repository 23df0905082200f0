// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_ALLOCATE_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_ALLOCATE_REPORT_H_

#include <optional>

#include "cli/commands/allocate_question.h"
#include "cli/console.h"
#include "core/allocator.h"
#include "locality/locality.h"
#include "mapping/mapper.h"
#include "thermal/cooling.h"

namespace coolspan {

// The node of each rank of the request's pattern, and what that costs in bytes
// x hops.
struct MappedRanks {
  RankToNode rank_to_node;
  double cost = 0;
  double in_order_cost = 0;
};

struct AllocateAnswer {
  Decision decision;
  Locality locality;  // with a pattern, comm_cost is that of the mapping
  std::optional<Cooling> cooling;    // if the machine has a room
  double elapsed_us = 0;             // median of the timed decisions
  std::optional<MappedRanks> ranks;  // with a pattern
};

// Prints one line of JSON or a text, as the console asks.
void PrintAllocateReport(const AllocateQuestion& question,
                         const AllocateAnswer& answer, const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_ALLOCATE_REPORT_H_
