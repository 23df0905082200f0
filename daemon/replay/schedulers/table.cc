// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "replay/find_entry.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

constexpr std::string_view kMigrations = "migrations";

constexpr std::array kCplantOptions = {
    SpecOption{"poll", "seconds between two polls", 60, 1, 86'400},
};

constexpr std::array kConservativeOptions = {
    SpecOption{"depth", "maximum number of reservations", 500, 1, 1e9},
};

constexpr std::array kEdfLrhOptions = {
    SpecOption{"slack",
               "share of the wait that its deadline leaves a job that it may "
               "wait for others to end",
               1, 0, 1},
};

constexpr std::array kScintOptions = {
    SpecOption{"slot", "seconds between proposed starts", 1800, 1, 1e9},
    SpecOption{.name = "evaluations",
               .help = "maximum number of plans evaluated",
               .default_value = 300'000,
               .max = 1e12,
               .is_whole = true},
    SpecOption{.name = kMigrations,
               .help = "maximum number of times that a running job moves to "
                       "other nodes",
               .default_value = 0,
               .max = 1000,
               .is_whole = true},
    SpecOption{"migration-time", "seconds that a job that moves stands still",
               60, 0, 1e6},
    SpecOption{"migration-power",
               "watts of each node that a job moves to, for that time, beside "
               "what the node draws",
               100, 0, 1e6},
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
    {.name = "fcfs-groups",
     .help = "first come, first served with backfilling in each group of "
             "nodes, the most efficient group first",
     .make = MakeFcfsGroups,
     .obeys_node_types = true},
    {.name = "edf-lrh",
     .help = "as few jobs at a time as deadlines allow, on the nodes with the "
             "least recirculated heat",
     .make = MakeEdfLrh,
     .options = kEdfLrhOptions,
     .needs_room = true,
     .obeys_node_types = true},
    {.name = "scint",
     .help = "plan of all jobs for the least energy, which knows of jobs that "
             "have not arrived",
     .make = MakeScint,
     .options = kScintOptions,
     .needs_room = true,
     .obeys_node_types = true},
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

bool SchedulerChoice::MigratesJobs() const {
  const auto most = values_.find(kMigrations);
  return most != values_.end() && most->second > 0;
}

SchedulerChoice SchedulerChoice::Easy() { return *Create("easy"); }

}  // namespace coolspan
