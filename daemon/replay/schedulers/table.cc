// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/nearest_name.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

constexpr SchedulerEntry kTable[] = {
    {"fcfs", "first come, first served: nothing overtakes", MakeFcfs},
    {"easy",
     "backfilling that never delays the expected start of the queue's head",
     MakeEasy},
};

}  // namespace

std::span<const SchedulerEntry> SchedulerTable() { return kTable; }

absl::StatusOr<const SchedulerEntry*> FindScheduler(std::string_view name) {
  std::vector<std::string_view> known;
  for (const SchedulerEntry& entry : kTable) {
    if (entry.name == name) return &entry;
    known.push_back(entry.name);
  }
  const std::string_view nearest = NearestName(name, known);
  return absl::InvalidArgumentError(fmt::format(
      "unknown scheduler '{}'; {}", name,
      nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                      : fmt::format("did you mean '{}'?", nearest)));
}

}  // namespace coolspan
