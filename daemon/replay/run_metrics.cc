// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/run_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace coolspan {
namespace {

constexpr double kSPerHour = 3600;

// Metrics without `_per_node`: ratios, and those of the whole room.
constexpr std::array<std::string_view, 8> kNotPerNode = {
    "pairwise_mean", "stretch_span", "box_expansion", "cube_expansion",
    "peak_inlet_c",  "supply_max_c", "it_w",          "cooling_w"};

std::optional<double> Ratio(double numerator, double denominator) {
  if (denominator <= 0) return std::nullopt;
  return numerator / denominator;
}

// Nearest-rank percentile; share from 0 to 1. REQUIRES sorted values, at least
// one.
double Percentile(const std::vector<float>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(
      std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

RunMetrics::RunMetrics(NodeCount machine_nodes)
    : machine_nodes_(machine_nodes) {}

void RunMetrics::Add(const WorkloadJob& job, const Placement& placement,
                     const MeasuredStart& start) {
  job_nodes_ = static_cast<double>(job.nodes);
  job_run_s_ =
      static_cast<double>(start.run.run_ms) / static_cast<double>(kMsPerSecond);
  next_sum_ = 0;
  const auto add = [this](std::string_view name, std::optional<double> value) {
    AddValue(name, value);
  };
  VisitMetrics(start.locality, add);
  if (start.cooling.has_value()) VisitMetrics(*start.cooling, add);

  const TimeMs end_ms = placement.start_ms() + start.run.run_ms;
  const bool first = decision_us_.empty();
  first_submit_ms_ =
      first ? job.submit_ms : std::min(first_submit_ms_, job.submit_ms);
  last_end_ms_ = first ? end_ms : std::max(last_end_ms_, end_ms);
  if (job.nodes >= 2) ++jobs_two_and_more_;
  run_s_ += job_run_s_;
  wait_s_ += static_cast<double>(placement.start_ms() - job.submit_ms) /
             static_cast<double>(kMsPerSecond);
  node_s_ += job_nodes_ * job_run_s_;
  decision_us_.push_back(static_cast<float>(placement.decision_us));
}

void RunMetrics::AddValue(std::string_view name, std::optional<double> value) {
  if (next_sum_ == sums_.size()) {
    sums_.push_back(
        {.name = std::string(name),
         .grows_with_job = std::find(kNotPerNode.begin(), kNotPerNode.end(),
                                     name) == kNotPerNode.end()});
  }
  Sums& sums = sums_[next_sum_++];
  if (!value.has_value()) {
    sums.applies = false;
    return;
  }
  sums.sum += *value;
  sums.max = std::max(sums.max, *value);
  sums.squares += *value * *value;
  sums.weighted += *value * job_run_s_;
  sums.per_node += *value / job_nodes_;
  if (job_nodes_ >= 2) sums.two_and_more += *value;
}

std::vector<NamedValue> RunMetrics::Values(
    double wall_s, const RoomMeter::Totals* room) const {
  std::vector<NamedValue> values;
  AppendAllocations(values);
  AppendTotals(values);
  if (room != nullptr) AppendEnergy(*room, values);
  AppendRealTimes(wall_s, values);
  return values;
}

void RunMetrics::AppendAllocations(std::vector<NamedValue>& values) const {
  const auto count = static_cast<double>(jobs());
  for (const Sums& sums : sums_) {
    const auto add = [&](std::string_view suffix, std::optional<double> value) {
      values.push_back({sums.name + std::string(suffix),
                        sums.applies ? value : std::nullopt});
    };
    add("", Ratio(sums.sum, count));
    add("_max", sums.max);
    add("_sumsq", sums.squares);
    add("_tw", Ratio(sums.weighted, run_s_));
    add("_n2",
        Ratio(sums.two_and_more, static_cast<double>(jobs_two_and_more_)));
    if (sums.grows_with_job) add("_per_node", Ratio(sums.per_node, count));
  }
}

double RunMetrics::MakespanS() const {
  return static_cast<double>(last_end_ms_ - first_submit_ms_) /
         static_cast<double>(kMsPerSecond);
}

void RunMetrics::AppendTotals(std::vector<NamedValue>& values) const {
  const auto count = static_cast<double>(jobs());
  const double makespan_s = MakespanS();
  values.push_back({"makespan_s", makespan_s});
  values.push_back({"mean_wait_s", Ratio(wait_s_, count)});
  values.push_back({"mean_turnaround_s", Ratio(wait_s_ + run_s_, count)});
  values.push_back({"mean_runtime_s", Ratio(run_s_, count)});
  values.push_back(
      {"utilization", Ratio(node_s_, machine_nodes_ * makespan_s)});
  values.push_back(
      {"throughput_jobs_per_h", Ratio(count * kSPerHour, makespan_s)});
}

void RunMetrics::AppendEnergy(const RoomMeter::Totals& room,
                              std::vector<NamedValue>& values) const {
  values.push_back({"it_energy_j", room.it_energy_j});
  values.push_back({"cooling_energy_j", room.cooling_energy_j});
  values.push_back(
      {"total_energy_j", room.it_energy_j + room.cooling_energy_j});
  values.push_back(
      {"mean_cooling_w", Ratio(room.cooling_energy_j, MakespanS())});
  values.push_back({"cop_not_sensible_s", room.cop_not_sensible_s});
}

void RunMetrics::AppendRealTimes(double wall_s,
                                 std::vector<NamedValue>& values) const {
  std::vector<float> sorted = decision_us_;
  std::sort(sorted.begin(), sorted.end());
  const auto add = [&](std::string_view name, double share) {
    values.push_back({std::string(name),
                      sorted.empty()
                          ? std::nullopt
                          : std::optional<double>(Percentile(sorted, share))});
  };
  add("decision_us_p50", 0.5);
  add("decision_us_p99", 0.99);
  add("decision_us_max", 1.0);
  values.push_back(
      {"replay_jobs_per_s", Ratio(static_cast<double>(jobs()), wall_s)});
}

}  // namespace coolspan
