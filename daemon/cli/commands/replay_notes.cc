// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "cli/commands/run_label.h"
#include "cli/console.h"
#include "cli/render/text_table.h"
#include "core/counted.h"

namespace coolspan {
namespace {

// With the option that would make the largest job fit.
void PrintTooLarge(const Workload& workload, const WorkloadOptions& options,
                   NodeCount machine_nodes, std::ostream& err) {
  const TraceCounts& counts = workload.counts;
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
      "note: rounding up to whole nodes (--procs-per-node) makes them {:.2f} "
      "times as large as their processors\n",
      rounding);
}

}  // namespace

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
