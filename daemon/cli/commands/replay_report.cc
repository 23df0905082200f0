// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/console.h"
#include "cli/flags/runtime_flags.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "core/counted.h"

namespace coolspan {
namespace {

// The metric of the matrix in the text report.
constexpr std::string_view kMatrixMetric = "pairwise_total";

Json TraceJson(const TraceCounts& counts) {
  return {{"jobs", counts.jobs},
          {"skipped", counts.skipped()},
          {"skipped_by",
           {{"zero_run", counts.zero_run},
            {"zero_procs", counts.zero_procs},
            {"too_large", counts.too_large}}},
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
  run["ordering"] = setup.ordering->name();
  run["scheduler"] = setup.scheduler->name;
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

std::optional<double> ValueOf(const std::vector<NamedValue>& metrics,
                              std::string_view name) {
  for (const NamedValue& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  return std::nullopt;
}

// Text reports have means and totals; other aggregations are in JSON only.
bool IsInTextReport(std::string_view metric) {
  for (const std::string_view suffix :
       {"_max", "_sumsq", "_tw", "_n2", "_per_node"}) {
    if (metric.ends_with(suffix)) return metric == "decision_us_max";
  }
  return true;
}

std::string TextOf(std::optional<double> value) {
  return value.has_value() ? FormatNumber(*value) : kNoValue;
}

void PrintPolicies(const std::vector<RunReport>& reports, std::ostream& out) {
  std::vector<std::string> headings = {"metric (mean over jobs, or total)"};
  for (const RunReport& report : reports) headings.push_back(report.policy);
  TextTable table(std::move(headings));
  const auto add = [&](const std::string& name, auto value_of) {
    std::vector<std::string> cells = {name};
    for (const RunReport& report : reports) {
      cells.push_back(TextOf(value_of(report)));
    }
    table.AddRow(std::move(cells));
  };
  add("jobs", [](const RunReport& report) {
    return std::optional<double>(static_cast<double>(report.jobs));
  });
  for (std::size_t i = 0; i < reports.front().metrics.size(); ++i) {
    const std::string& name = reports.front().metrics[i].name;
    if (!IsInTextReport(name)) continue;
    add(name, [i](const RunReport& report) { return report.metrics[i].value; });
  }
  add("wall_s", [](const RunReport& report) {
    return std::optional<double>(report.wall_s);
  });
  table.Print(out);
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
    std::vector<std::string> cells = {report.policy};
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

}  // namespace

void PrintReplayJson(const ReplaySetup& setup, const TraceCounts& counts,
                     const std::vector<RunReport>& reports, std::ostream& out) {
  Json json = {{"trace", TraceJson(counts)}, {"runs", Json::array()}};
  for (const RunReport& report : reports) {
    if (setup.previewed.empty()) {
      json["runs"].push_back(RunJson(setup, report, {{"policy", report.policy}},
                                     report.jobs, report.metrics));
    }
    for (const PreviewReport& preview : report.previews) {
      json["runs"].push_back(
          RunJson(setup, report,
                  {{"situation", report.policy}, {"policy", preview.policy}},
                  preview.jobs, preview.metrics));
    }
  }
  PrintJsonLine(json, out);
}

void PrintReplayTables(const ReplaySetup& setup, const TraceCounts& counts,
                       const std::vector<RunReport>& reports,
                       std::ostream& out) {
  out << counts.jobs << " jobs in the trace, " << counts.skipped()
      << " skipped (" << counts.zero_run << " zero run time, "
      << counts.zero_procs << " zero processors, " << counts.too_large
      << " too large)\n"
      << setup.scheduler->name << " on " << setup.machine->name() << ", "
      << setup.machine->node_count() << " nodes, ordering "
      << setup.ordering->name() << DescribeRuntime(setup) << "\n\n";
  if (setup.previewed.empty()) {
    PrintPolicies(reports, out);
  } else {
    PrintMatrix(reports, out);
  }
}

void PrintTraceNotes(const TraceCounts& counts, const Machine& machine,
                     std::ostream& err) {
  if (counts.reordered > 0) {
    err << "note: " << Counted(counts.reordered, "line")
        << " out of submit order; jobs were sorted by submit time\n";
  }
  if (counts.too_large > 0) {
    err << "note: skipped " << Counted(counts.too_large, "job")
        << " larger than the machine of "
        << Counted(machine.node_count(), "node") << "; the largest has "
        << counts.largest_nodes << " nodes\n";
  }
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
    err << "note: " << report.policy
        << ": supply_max_c outside the valid range "
        << "of the CoP model for " << FormatNumber(seconds) << " s\n";
  }
}

void PrintPreviewNotes(const std::vector<RunReport>& reports,
                       std::ostream& err) {
  for (const RunReport& report : reports) {
    for (const PreviewReport& preview : report.previews) {
      if (preview.jobs == report.jobs) continue;
      err << "note: situation " << report.policy << ": " << preview.policy
          << " places " << preview.jobs << " of " << report.jobs
          << " jobs; its means are over these\n";
    }
  }
}

}  // namespace coolspan
