// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/find_entry.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

constexpr SchedulerEntry kSchedulers[] = {
    {"fcfs", "first come, first served", MakeFcfs},
    {"easy",
     "backfilling that does not delay the expected start of the queue head",
     MakeEasy},
};

}  // namespace

std::span<const SchedulerEntry> SchedulerTable() { return kSchedulers; }

absl::StatusOr<const SchedulerEntry*> FindScheduler(std::string_view name) {
  return FindEntry(SchedulerTable(), "--scheduler", name);
}

}  // namespace coolspan
