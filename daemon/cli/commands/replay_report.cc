// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands/run_label.h"
#include "cli/flags/runtime_flags.h"
#include "cli/render/link_map.h"
#include "cli/render/machine_map.h"
#include "cli/render/sparkline.h"
#include "cli/render/text_table.h"
#include "core/counted.h"
#include "replay/seed_summary.h"

namespace coolspan {
namespace {

// The metric of the matrix in the text report.
constexpr std::string_view kMatrixMetric = "pairwise_total";

// The run time model and its parameters.
std::string DescribeRuntime(const ReplaySetup& setup) {
  const RuntimeOptions& runtime = setup.runtime;
  std::string text;
  if (runtime.model != "none") {
    text = fmt::format(", runtime model {}", runtime.model);
  }
  if (runtime.model == "sst") {
    text += fmt::format(" (communication cost: {}, noise {})",
                        NameOf(runtime.comm_cost), runtime.noise);
  }
  if (runtime.model == "contention") {
    const NetworkOptions& network = runtime.network;
    text += fmt::format(
        " (links of {} GB/s, nodes send {} GB/s, routes {}, oversubscription "
        "{})",
        network.link_gb_per_s, network.send_gb_per_s, NameOf(network.routes),
        network.routes.oversubscription);
  }
  const Room* room = setup.machine->room().get();
  if (room != nullptr || runtime.model != "none") {
    text +=
        fmt::format(", communication share {}", runtime.communication_share);
  }
  if (room != nullptr) {
    text += fmt::format(", idle nodes {}", room->idle_on() ? "on" : "off");
  }
  return text;
}

// Text reports have means and totals; other aggregations are in JSON only.
bool IsInTextReport(std::string_view metric) {
  if (metric == "decision_us_max" || metric == "wait_s_max" ||
      metric == "pairwise_mean_n2") {
    return true;
  }
  for (const std::string_view suffix :
       {"_max", "_sumsq", "_tw", "_n2", "_per_node"}) {
    if (metric.ends_with(suffix)) return false;
  }
  return !metric.starts_with("bounded_slowdown");
}

std::string TextOf(std::optional<double> value) {
  return value.has_value() ? FormatNumber(*value) : kNoValue;
}

// "12.5", or with several seeds "12.5 +-0.3".
std::string TextOf(const SeedMean& mean) {
  std::string text = TextOf(mean.mean);
  if (mean.ci95.has_value()) text += kPlusMinus + FormatNumber(*mean.ci95);
  return text;
}

void PrintPolicies(const std::vector<RunReport>& reports,
                   const Console& console) {
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  std::vector<std::string> headings = {"metric (mean over jobs, or total)"};
  for (const SeedGroup& group : groups) {
    headings.push_back(LabelOf(group.runs.front()->run, reports));
  }
  TextTable table(std::move(headings));
  const auto add = [&](const std::string& name, auto text_of) {
    std::vector<std::string> cells = {name};
    for (const SeedGroup& group : groups) cells.push_back(text_of(group));
    table.AddRow(std::move(cells));
  };
  if (groups.size() < reports.size()) {
    add("seeds", [](const SeedGroup& group) {
      return std::to_string(group.runs.size());
    });
  }
  add("jobs", [](const SeedGroup& group) {
    return std::to_string(group.runs.front()->jobs);
  });
  for (std::size_t i = 0; i < reports.front().metrics.size(); ++i) {
    const std::string& name = reports.front().metrics[i].name;
    if (!IsInTextReport(name)) continue;
    add(name, [i](const SeedGroup& group) { return TextOf(group.means[i]); });
  }
  add("wall_s", [](const SeedGroup& group) {
    double sum = 0;
    for (const RunReport* run : group.runs) sum += run->wall_s;
    return FormatNumber(sum);
  });
  table.Print(console.out, console.columns);
}

// Lines of a quantity over time, one for each group of runs that differ in the
// seed only, of its first seed. max: of all samples.
template <typename ValueOf>
void PrintOverTime(const std::string& title, double max,
                   const std::vector<RunReport>& reports,
                   const Console& console, ValueOf value_of) {
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  std::size_t label_width = 0;
  for (const SeedGroup& group : groups) {
    label_width =
        std::max(label_width, LabelOf(group.runs.front()->run, reports).size());
  }
  constexpr std::size_t kMinColumns = 16;
  if (label_width + 2 + kMinColumns > console.columns) return;
  console.out << "\n" << title << "\n";
  for (const SeedGroup& group : groups) {
    const RunReport& report = *group.runs.front();
    std::vector<double> values;
    for (const SeriesSample& sample : report.series.samples) {
      values.push_back(value_of(sample));
    }
    console.out << fmt::format(
        "{:<{}}  {}\n", LabelOf(report.run, reports), label_width,
        Sparkline(values, max, console.columns - label_width - 2));
  }
}

// With several runs, their lines end at different times.
void PrintSparklines(const ReplaySetup& setup,
                     const std::vector<RunReport>& reports,
                     const Console& console) {
  constexpr std::size_t kMaxLines = 8;
  if (GroupBySeed(reports).size() > kMaxLines) return;
  double max_queued = 0;
  for (const RunReport& report : reports) {
    if (report.series.samples.empty()) return;
    for (const SeriesSample& sample : report.series.samples) {
      max_queued = std::max<double>(max_queued, sample.queued_jobs);
    }
  }
  PrintOverTime("nodes in use, first submit to last end, 0 to 100 %",
                setup.machine->node_count(), reports, console,
                [](const SeriesSample& sample) {
                  return static_cast<double>(sample.used_nodes);
                });
  if (max_queued == 0) return;
  PrintOverTime(fmt::format("queued jobs, 0 to {}", max_queued), max_queued,
                reports, console, [](const SeriesSample& sample) {
                  return static_cast<double>(sample.queued_jobs);
                });
}

void PrintMatrix(const std::vector<RunReport>& reports, std::ostream& out) {
  out << "mean " << kMatrixMetric << " over " << reports.front().jobs
      << " jobs; rows: placing policy; columns: evaluated policy\n\n";
  std::vector<std::string> headings = {"situation"};
  for (const PreviewReport& preview : reports.front().previews) {
    headings.push_back(preview.policy);
  }
  TextTable table(std::move(headings));
  for (const RunReport& report : reports) {
    std::vector<std::string> cells = {LabelOf(report.run, reports)};
    for (const PreviewReport& preview : report.previews) {
      const std::optional<double> value =
          ValueOf(preview.metrics, kMatrixMetric);
      cells.push_back(value.has_value() ? fmt::format("{:.2f}", *value)
                                        : kNoValue);
    }
    table.AddRow(std::move(cells));
  }
  table.Print(out);
}

void PrintMaps(const ReplaySetup& setup, const std::vector<RunReport>& reports,
               const Console& console) {
  const Topology& topology = setup.machine->topology();
  for (const RunReport& report : reports) {
    if (!report.map.has_value()) continue;
    Occupancy occupancy{setup.machine->node_count(), std::nullopt, {}, {}};
    if (topology.grid() != nullptr) occupancy.grid = *topology.grid();
    for (const RunMap::Job& job : report.map->jobs) {
      occupancy.jobs.push_back(
          {static_cast<std::uint32_t>(job.number), "running",
           setup.machine->FormatNodes(job.nodes), job.nodes});
    }
    console.out << fmt::format("\n{}, seed {}, at {} s\n",
                               LabelOf(report.run, reports), report.run.seed,
                               FormatNumber(ToSeconds(report.map->at_ms)))
                << DrawMap(occupancy, {console.colour, console.columns});
    if (report.map->links.empty()) continue;
    console.out << DrawLinks(topology, report.map->links);
  }
}

void PrintJobCounts(const Workload& workload, std::ostream& out) {
  const TraceCounts& counts = workload.counts;
  out << Counted(counts.jobs, "job") << " in the trace";
  if (workload.jobs.size() != counts.jobs) {
    out << " (" << workload.jobs.size() << " replayed)";
  }
  if (counts.zero_run_jobs > 0) {
    out << ", " << counts.zero_run_jobs << " with zero run time";
  }
  out << "; " << counts.skipped() << " skipped";
  std::vector<std::string> reasons;
  for (const auto& [count, reason] :
       {std::pair(counts.zero_run, "zero run time"),
        std::pair(counts.unknown_run, "unknown run time"),
        std::pair(counts.zero_procs, "zero processors"),
        std::pair(counts.too_large, "too large"),
        std::pair(counts.outside_window, "outside --from and --until"),
        std::pair(counts.steps, "job steps"),
        std::pair(counts.not_started, "never started"),
        std::pair(counts.unfinished, "without an end"),
        std::pair(counts.repeated, "repeated lines"),
        std::pair(counts.unknown_start, "unknown start"),
        std::pair(counts.unknown_nodes, "unknown nodes")}) {
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, reason));
  }
  if (!reasons.empty()) {
    out << fmt::format(" ({})", fmt::join(reasons, ", "));
  }
  out << "\n";
}

}  // namespace

void PrintReplayTables(const ReplaySetup& setup, const Workload& workload,
                       const std::vector<RunReport>& reports,
                       const Console& console) {
  std::ostream& out = console.out;
  PrintJobCounts(workload, out);
  const RunSpec& first = reports.front().run;
  if (OneScheduler(reports)) out << first.scheduler.spec() << " on ";
  out << setup.machine->name() << ", " << setup.machine->node_count()
      << " nodes";
  if (OneOrdering(reports)) out << ", ordering " << first.ordering->name();
  out << DescribeRuntime(setup) << "\n\n";
  if (setup.previewed.empty()) {
    PrintPolicies(reports, console);
    if (DrawsSparklines(console, reports.size())) {
      PrintSparklines(setup, reports, console);
    }
  } else {
    PrintMatrix(reports, out);
  }
  PrintMaps(setup, reports, console);
}

bool DrawsSparklines(const Console& console, std::size_t runs) {
  constexpr std::size_t kMaxRuns = 64;  // whose series are in memory
  return console.blocks && !console.json && runs <= kMaxRuns;
}

}  // namespace coolspan
