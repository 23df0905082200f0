// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/commands/run_label.h"
#include "cli/render/text_table.h"

namespace coolspan {
namespace {

// By group, then in the order of the metrics, lower is better; fewer than the
// metrics: a value is missing.
using Values = std::vector<std::vector<double>>;

absl::StatusOr<std::size_t> IndexOf(const std::vector<NamedValue>& metrics,
                                    const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].name == name) return i;
    names.push_back(metrics[i].name);
  }
  std::sort(names.begin(), names.end());
  return absl::InvalidArgumentError(
      fmt::format("--pareto: unknown metric '{}' (expected one of {})", name,
                  fmt::join(names, ", ")));
}

bool HigherIsBetter(std::string_view metric) {
  constexpr std::string_view kHigh[] = {
      "utilization",      "throughput_jobs_per_h", "largest_free_interval",
      "largest_free_box", "largest_job",           "replay_jobs_per_s"};
  return metric.starts_with("supply_max_c") || metric.starts_with("idle_") ||
         metric.starts_with("largest_switch_") ||
         std::find(std::begin(kHigh), std::end(kHigh), metric) !=
             std::end(kHigh);
}

std::optional<double> MeanOf(const SeedGroup& group, const std::string& name) {
  const std::vector<NamedValue>& metrics = group.runs.front()->metrics;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].name == name) return group.means[i].mean;
  }
  return std::nullopt;
}

bool Dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool lower = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    lower = lower || a[i] < b[i];
  }
  return lower;
}

}  // namespace

absl::StatusOr<std::vector<std::size_t>> ParetoFront(
    const std::vector<SeedGroup>& groups,
    const std::vector<std::string>& metrics) {
  Values values(groups.size());
  for (const std::string& name : metrics) {
    const absl::StatusOr<std::size_t> index =
        IndexOf(groups.front().runs.front()->metrics, name);
    if (!index.ok()) return index.status();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::optional<double> mean = groups[i].means[*index].mean;
      if (mean.has_value()) {
        values[i].push_back(HigherIsBetter(name) ? -*mean : *mean);
      }
    }
  }
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool complete = values[i].size() == metrics.size();
    const auto dominates_it = [&](const std::vector<double>& other) {
      return other.size() == metrics.size() && Dominates(other, values[i]);
    };
    if (complete && std::none_of(values.begin(), values.end(), dominates_it)) {
      front.push_back(i);
    }
  }
  std::stable_sort(
      front.begin(), front.end(),
      [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return front;
}

Json ParetoJson(const std::vector<SeedGroup>& groups,
                const std::vector<std::string>& metrics,
                const std::vector<std::size_t>& front) {
  Json json = {{"metrics", metrics}, {"front", Json::array()}};
  for (const std::size_t i : front) {
    const RunSpec& run = groups[i].runs.front()->run;
    Json one = {{"policy", run.policy},
                {"ordering", run.ordering->name()},
                {"scheduler", run.scheduler.spec()}};
    for (const std::string& name : metrics) {
      one[name] = JsonNumber(MeanOf(groups[i], name));
    }
    json["front"].push_back(std::move(one));
  }
  return json;
}

void PrintPareto(const std::vector<RunReport>& reports,
                 const std::vector<SeedGroup>& groups,
                 const std::vector<std::string>& metrics,
                 const std::vector<std::size_t>& front,
                 const Console& console) {
  console.out << fmt::format("\nPareto front: {} of {} runs\n\n", front.size(),
                             groups.size());
  std::vector<std::string> headings = {"run"};
  headings.insert(headings.end(), metrics.begin(), metrics.end());
  TextTable table(std::move(headings));
  for (const std::size_t i : front) {
    std::vector<std::string> cells = {
        LabelOf(groups[i].runs.front()->run, reports)};
    for (const std::string& name : metrics) {
      cells.push_back(FormatNumber(*MeanOf(groups[i], name)));
    }
    table.AddRow(std::move(cells));
  }
  table.Print(console.out, console.columns);
}

}  // namespace coolspan
