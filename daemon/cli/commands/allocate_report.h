// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_ALLOCATE_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_ALLOCATE_REPORT_H_

#include <optional>
#include <ostream>

#include "cli/commands/allocate_question.h"
#include "core/allocator.h"
#include "locality/locality.h"
#include "thermal/cooling.h"

namespace coolspan {

struct AllocateAnswer {
  Decision decision;
  Locality locality;
  std::optional<Cooling> cooling;  // where the room is known
  double elapsed_us = 0;           // median
};

// On one line.
void PrintAllocateJson(const AllocateQuestion& question,
                       const AllocateAnswer& answer, std::ostream& out);
void PrintAllocateText(const AllocateQuestion& question,
                       const AllocateAnswer& answer, std::ostream& out);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_ALLOCATE_REPORT_H_
