// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "cli/commands/run_label.h"
#include "cli/console.h"
#include "cli/render/text_table.h"
#include "core/counted.h"
#include "core/spec/spec_options.h"
#include "replay/input/node_events.h"
#include "replay/seed_summary.h"

namespace coolspan {
namespace {

// With the option that would make the largest job fit.
void PrintTooLarge(const Workload& workload, const WorkloadOptions& options,
                   NodeCount machine_nodes, std::ostream& err) {
  const TraceCounts& counts = workload.counts;
  if (options.segments_on != nullptr) {
    err << "note: skipped " << Counted(counts.too_large, "job")
        << (counts.too_large == 1 ? " that does" : " that do")
        << " not fit as segments on the empty machine of "
        << Counted(machine_nodes, "node") << "; the largest has "
        << counts.largest_nodes << " nodes\n";
    return;
  }
  err << "note: skipped " << Counted(counts.too_large, "job")
      << " larger than the machine of " << Counted(machine_nodes, "node")
      << "; the largest has " << counts.largest_nodes << " nodes";
  if (workload.counts_nodes) {
    err << "\n";
    return;
  }
  const std::uint64_t procs = counts.largest_nodes * options.procs_per_node;
  err << " (all fit with --procs-per-node "
      << (procs + machine_nodes - 1) / machine_nodes << ")\n";
}

// The node seconds of the jobs beside those of the machine from the first to
// the last submit. What a job would run after that, started at its submit, does
// not count.
void PrintSaturation(const Workload& workload, NodeCount machine_nodes,
                     std::ostream& err) {
  if (workload.jobs.size() < 2) return;
  const TimeMs last_ms = workload.jobs.back().submit_ms;
  double node_s = 0;
  double before_last_s = 0;
  for (const WorkloadJob& job : workload.jobs) {
    node_s += job.nodes * ToSeconds(job.run_ms);
    before_last_s +=
        job.nodes * ToSeconds(std::min(job.run_ms, last_ms - job.submit_ms));
  }
  const double time_s = ToSeconds(last_ms - workload.jobs.front().submit_ms);
  if (before_last_s <= machine_nodes * time_s) return;
  err << fmt::format(
      "note: the jobs need {:.2f} times the node hours that the machine has "
      "between the first and the last submit; waits grow with the length of "
      "the trace\n",
      before_last_s / (machine_nodes * time_s));
  const double rounding = workload.counts.requested_node_s > 0
                              ? node_s / workload.counts.requested_node_s
                              : 1;
  constexpr double kWorthSaying = 1.01;
  if (rounding < kWorthSaying) return;
  err << fmt::format(
      "note: rounding up to whole nodes (--procs-per-node{}) makes them {:.2f} "
      "times as large as their processors\n",
      workload.counts.rounded_to_segments > 0 ? ", --segment-nodes" : "",
      rounding);
}

// The policy that uses estimates. Schedulers use them as well, but alike for
// all policies.
void PrintMissingEstimates(const ReplaySetup& setup, const TraceCounts& counts,
                           std::ostream& err) {
  if (counts.without_estimate == 0 ||
      setup.estimates.kind != EstimateRule::Kind::kTrace ||
      std::none_of(setup.runs.begin(), setup.runs.end(),
                   [](const RunSpec& run) {
                     return SpecName(run.policy) == "coolspan";
                   })) {
    return;
  }
  err << "note: coolspan uses estimates; " << counts.without_estimate << " of "
      << Counted(counts.jobs, "job")
      << " have none in the trace, and their exact run times are used (see "
         "--estimates)\n";
}

bool IsRealTime(const std::string& metric) {
  return metric.starts_with("decision_us") || metric == "replay_jobs_per_s";
}

bool AreEqual(const RunReport& a, const RunReport& b) {
  return std::equal(a.metrics.begin(), a.metrics.end(), b.metrics.begin(),
                    b.metrics.end(),
                    [](const NamedValue& one, const NamedValue& other) {
                      return one.name == other.name &&
                             (one.value == other.value || IsRealTime(one.name));
                    });
}

bool SeedsHaveNoEffect(const std::vector<RunReport>& reports) {
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  return std::all_of(groups.begin(), groups.end(), [](const SeedGroup& group) {
    return group.runs.size() > 1 &&
           std::all_of(group.runs.begin(), group.runs.end(),
                       [&group](const RunReport* run) {
                         return AreEqual(*group.runs.front(), *run);
                       });
  });
}

// Events before the first submit have an effect if their state lasts.
void PrintLateEvents(const ReplaySetup& setup, const Workload& workload,
                     const std::vector<RunReport>& reports, std::ostream& err) {
  if (setup.node_events.empty() || workload.jobs.empty()) return;
  const TimeMs first_ms = workload.jobs.front().submit_ms;
  double last_s = 0;
  for (const RunReport& report : reports) {
    last_s = std::max(
        last_s, ToSeconds(std::max(first_ms, first_ms + setup.warm_up_ms)) +
                    ValueOf(report.metrics, "makespan_s").value_or(0));
  }
  const auto late =
      std::count_if(setup.node_events.begin(), setup.node_events.end(),
                    [last_s](const NodeEvent& event) {
                      return ToSeconds(event.at_ms) > last_s;
                    });
  if (late == 0) return;
  err << fmt::format(
      "note: {} of {} are after the end of all runs; the trace goes from {} to "
      "{} s on its clock\n",
      late, Counted(setup.node_events.size(), "node event"),
      FormatNumber(ToSeconds(first_ms)), FormatNumber(last_s));
}

}  // namespace

void PrintRunNotes(const ReplaySetup& setup, const Workload& workload,
                   const std::vector<RunReport>& reports, std::ostream& err) {
  if (SeedsHaveNoEffect(reports)) {
    err << "note: all seeds give the same runs; seeds are for random policies, "
           "--jitter and --replicate\n";
  }
  PrintLateEvents(setup, workload, reports, err);
  for (const RunReport& report : reports) {
    if (report.most_beyond_depth == 0) continue;
    err << "note: " << LabelOf(report.run, reports) << ": "
        << Counted(report.most_beyond_depth, "job")
        << " at a time waited without a reservation; waits are shorter with a "
           "larger depth, as in conservative:depth=100000\n";
  }
  const bool measured =
      std::any_of(reports.begin(), reports.end(),
                  [](const RunReport& report) { return report.jobs > 0; });
  if (!measured && !workload.jobs.empty()) {
    PrintMessage(err,
                 "warning: all jobs were submitted during --warm-up; nothing "
                 "was measured");
  }
  const bool has_deadlines = std::any_of(
      workload.jobs.begin(), workload.jobs.end(),
      [](const WorkloadJob& job) { return job.deadline_ms != kNoDeadlineMs; });
  for (const auto& note :
       {std::pair{"edf", "so it is fcfs"},
        std::pair{"edf-lrh", "so one runs after the other in each group"}}) {
    const bool runs = std::any_of(setup.runs.begin(), setup.runs.end(),
                                  [&note](const RunSpec& run) {
                                    return run.scheduler.spec() == note.first;
                                  });
    if (has_deadlines || !runs) continue;
    err << "note: " << note.first
        << ": no job has a deadline (see --deadline-factor), " << note.second
        << "\n";
  }
}

void PrintTraceNotes(const ReplaySetup& setup, const WorkloadOptions& options,
                     const Workload& workload, std::ostream& err) {
  const TraceCounts& counts = workload.counts;
  const NodeCount machine_nodes = setup.machine->node_count();
  if (counts.reordered > 0) {
    err << "note: " << Counted(counts.reordered, "line")
        << " out of submit order; jobs were sorted by submit time\n";
  }
  if (counts.too_large > 0) {
    PrintTooLarge(workload, options, machine_nodes, err);
  }
  if (counts.rounded_to_segments > 0) {
    err << "note: " << Counted(counts.rounded_to_segments, "job")
        << " rounded up to whole segments (--segment-nodes)\n";
  }
  if (counts.unknown_nodes > 0) {
    err << "note: skipped " << Counted(counts.unknown_nodes, "job")
        << " whose nodes are not known, the first: "
        << counts.first_unknown_nodes << "\n";
  }
  if (counts.sharing > 0) {
    err << "note: " << Counted(counts.sharing, "job")
        << " shared nodes with other jobs; in a replay, each job has its nodes "
           "alone\n";
  }
  PrintMissingEstimates(setup, counts, err);
  PrintSaturation(workload, machine_nodes, err);
  if (counts.jobs == 0) {
    PrintMessage(
        err, "warning: " +
                 (counts.skipped() == 1 ? std::string("the only job is skipped")
                                        : fmt::format("all {} jobs are skipped",
                                                      counts.skipped())) +
                 "; nothing to replay");
  }
}

void PrintCoolingNotes(const std::vector<RunReport>& reports,
                       std::ostream& err) {
  for (const RunReport& report : reports) {
    const double seconds =
        ValueOf(report.metrics, "cop_not_sensible_s").value_or(0);
    if (seconds == 0) continue;
    err << "note: " << LabelOf(report.run, reports)
        << ": supply_max_c outside the valid range "
        << "of the CoP model for " << FormatNumber(seconds) << " s\n";
  }
}

void PrintLateNotes(const std::vector<RunReport>& reports, std::ostream& err) {
  for (const RunReport& report : reports) {
    const double jobs = ValueOf(report.metrics, "late_jobs").value_or(0);
    if (jobs == 0) continue;
    err << "note: " << LabelOf(report.run, reports) << ": "
        << Counted(static_cast<std::uint64_t>(jobs), "job")
        << " started later than recorded, because nodes were not free; at most "
        << FormatNumber(ValueOf(report.metrics, "late_s_max").value_or(0))
        << " s\n";
  }
}

void PrintStoppedNotes(const std::vector<RunReport>& reports,
                       std::ostream& err) {
  for (const RunReport& report : reports) {
    const double stopped =
        ValueOf(report.metrics, "decisions_stopped_early").value_or(0);
    if (stopped == 0) continue;
    err << "note: " << LabelOf(report.run, reports) << ": " << stopped << " of "
        << Counted(report.jobs, "decision")
        << " stopped early, at the limit of work in a replay; more work might "
           "have found better nodes\n";
  }
}

void PrintPreviewNotes(const std::vector<RunReport>& reports,
                       std::ostream& err) {
  for (const RunReport& report : reports) {
    for (const PreviewReport& preview : report.previews) {
      if (preview.jobs == report.jobs) continue;
      err << "note: situation " << LabelOf(report.run, reports) << ": "
          << preview.policy << " places " << preview.jobs << " of "
          << report.jobs << " jobs; its means are over these\n";
    }
  }
}

}  // namespace coolspan
