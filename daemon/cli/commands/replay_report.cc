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
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "core/counted.h"
#include "replay/seed_summary.h"

namespace coolspan {
namespace {

// The metric of the matrix in the text report.
constexpr std::string_view kMatrixMetric = "pairwise_total";

Json TraceJson(const TraceCounts& counts) {
  return {{"jobs", counts.jobs},
          {"skipped", counts.skipped()},
          {"skipped_by",
           {{"zero_run", counts.zero_run},
            {"unknown_run", counts.unknown_run},
            {"zero_procs", counts.zero_procs},
            {"too_large", counts.too_large},
            {"outside_window", counts.outside_window}}},
          {"zero_run_jobs", counts.zero_run_jobs},
          {"reordered", counts.reordered},
          {"extra_fields", counts.extra_fields}};
}

// Adds the run time model and its parameters.
void AddRuntime(const ReplaySetup& setup, Json& run) {
  const RuntimeOptions& runtime = setup.runtime;
  run["runtime_model"] = runtime.model;
  if (runtime.model == "sst") {
    run["comm_cost_reading"] = NameOf(runtime.comm_cost);
    run["runtime_noise"] = runtime.noise;
  }
  run["comm_share"] = JsonDecimals(runtime.communication_share);
  if (const Room* room = setup.machine->room().get(); room != nullptr) {
    run["idle"] = room->idle_on() ? "on" : "off";
  }
}

// The same as text.
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

// policy_keys: the policy, and its situation in a matrix.
Json RunJson(const ReplaySetup& setup, const RunReport& report,
             Json policy_keys, std::uint64_t jobs,
             const std::vector<NamedValue>& values) {
  Json run = std::move(policy_keys);
  run["ordering"] = report.run.ordering->name();
  run["scheduler"] = report.run.scheduler.spec();
  run["estimates"] = setup.estimates.spec;
  run["seed"] = report.run.seed;
  AddRuntime(setup, run);
  run["jobs"] = jobs;
  Json& metrics = run["metrics"] = Json::object();
  for (const NamedValue& metric : values) {
    metrics[metric.name] = JsonNumber(metric.value);
  }
  run["wall_s"] = report.wall_s;
  run["peak_rss_mb"] = report.peak_rss_mb;
  return run;
}

Json MeansJson(const std::vector<NamedValue>& metrics,
               const std::vector<SeedMean>& means) {
  Json json = Json::object();
  for (std::size_t i = 0; i < means.size(); ++i) {
    json[metrics[i].name] = {{"mean", JsonNumber(means[i].mean)},
                             {"ci95", JsonNumber(means[i].ci95)}};
  }
  return json;
}

// Means over seeds, if there are several.
void AddGroups(const std::vector<RunReport>& reports, Json& json) {
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  if (groups.size() == reports.size()) return;
  json["groups"] = Json::array();
  for (const SeedGroup& group : groups) {
    const RunReport& first = *group.runs.front();
    Json one = {{"policy", first.run.policy},
                {"ordering", first.run.ordering->name()},
                {"scheduler", first.run.scheduler.spec()},
                {"seeds", Json::array()}};
    for (const RunReport* run : group.runs)
      one["seeds"].push_back(run->run.seed);
    one["metrics"] = MeansJson(first.metrics, group.means);
    if (!group.differences.empty()) {
      one["difference_to_first"] = MeansJson(first.metrics, group.differences);
    }
    json["groups"].push_back(std::move(one));
  }
}

// Text reports have means and totals; other aggregations are in JSON only.
bool IsInTextReport(std::string_view metric) {
  if (metric == "decision_us_max" || metric == "wait_s_max") return true;
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
        std::pair(counts.outside_window, "outside --from and --until")}) {
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, reason));
  }
  if (!reasons.empty()) {
    out << fmt::format(" ({})", fmt::join(reasons, ", "));
  }
  out << "\n";
}

}  // namespace

void PrintReplayJson(const ReplaySetup& setup, const TraceCounts& counts,
                     const std::vector<RunReport>& reports, std::ostream& out) {
  Json json = {{"trace", TraceJson(counts)}, {"runs", Json::array()}};
  for (const RunReport& report : reports) {
    if (setup.previewed.empty()) {
      json["runs"].push_back(RunJson(setup, report,
                                     {{"policy", report.run.policy}},
                                     report.jobs, report.metrics));
    }
    for (const PreviewReport& preview : report.previews) {
      json["runs"].push_back(RunJson(
          setup, report,
          {{"situation", report.run.policy}, {"policy", preview.policy}},
          preview.jobs, preview.metrics));
    }
  }
  if (setup.previewed.empty()) AddGroups(reports, json);
  PrintJsonLine(json, out);
}

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
  } else {
    PrintMatrix(reports, out);
  }
}

}  // namespace coolspan
