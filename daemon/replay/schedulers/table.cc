// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "replay/find_entry.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

constexpr std::array kCplantOptions = {
    SpecOption{"poll", "seconds between two polls", 60, 1, 86'400},
};

constexpr std::array kConservativeOptions = {
    SpecOption{"depth", "maximum number of reservations", 500, 1, 1e9},
};

constexpr SchedulerEntry kSchedulers[] = {
    {"fcfs", "first come, first served", MakeFcfs},
    {"easy",
     "backfilling that does not delay the expected start of the queue head",
     MakeEasy},
    {"conservative",
     "backfilling that does not delay the expected start of any waiting job",
     MakeConservative, kConservativeOptions},
    {"sjf", "shortest estimate first", MakeSjf},
    {"longest-first", "longest estimate first", MakeLongestFirst},
    {"widest-first", "most nodes first", MakeWidestFirst},
    {"narrowest-first", "fewest nodes first", MakeNarrowestFirst},
    {"better-fit", "most nodes first, then longest estimate", MakeBetterFit},
    {"edf", "earliest deadline first", MakeEdf},
    {"cplant", "polls: fewest nodes first, then shortest estimate", MakeCplant,
     kCplantOptions},
    {"recorded", "as in the trace: each job at its recorded start",
     MakeRecorded},
};

}  // namespace

std::span<const SchedulerEntry> SchedulerTable() { return kSchedulers; }

absl::StatusOr<SchedulerChoice> SchedulerChoice::Create(std::string_view spec) {
  const absl::StatusOr<const SchedulerEntry*> entry =
      FindEntry(SchedulerTable(), "--scheduler", SpecName(spec));
  if (!entry.ok()) return entry.status();
  absl::StatusOr<SpecValues> values =
      ReadSpecValues("scheduler", spec, (*entry)->options, {});
  if (!values.ok()) return values.status();
  return SchedulerChoice(spec, **entry, *std::move(values));
}

SchedulerChoice SchedulerChoice::Easy() { return *Create("easy"); }

}  // namespace coolspan
