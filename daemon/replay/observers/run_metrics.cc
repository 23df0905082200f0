// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/run_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace coolspan {
namespace {

constexpr double kSPerHour = 3600;

// Metrics without `_per_node`: ratios, and those of the whole room.
constexpr std::array<std::string_view, 8> kNotPerNode = {
    "pairwise_mean", "stretch_span", "box_expansion", "cube_expansion",
    "peak_inlet_c",  "supply_max_c", "it_w",          "cooling_w"};

}  // namespace

RunMetrics::RunMetrics(NodeCount machine_nodes, TimeMs begin_ms,
                       bool runs_change)
    : machine_nodes_(machine_nodes),
      begin_ms_(begin_ms),
      runs_change_(runs_change),
      last_end_ms_(begin_ms) {}

absl::Status RunMetrics::Started(const JobStart& start) {
  if (!start.counted) return absl::OkStatus();
  const auto& [job, placement, measured, counted] = start;
  job_nodes_ = static_cast<double>(job.nodes);
  job_run_s_ = ToSeconds(measured.run.run_ms);
  next_sum_ = 0;
  Added added = {.run_s = job_run_s_, .values = {}};
  const auto add = [&](std::string_view name, std::optional<double> value) {
    AddValue(name, value);
    if (runs_change_) added.values.push_back(value.value_or(0));
  };
  VisitMetrics(measured.locality, add);
  if (measured.cooling.has_value()) VisitMetrics(*measured.cooling, add);

  if (runs_change_) added_[placement.job] = std::move(added);

  ++jobs_;
  if (job.nodes >= 2) ++jobs_two_and_more_;
  if (placement.stopped_early) ++stopped_early_;
  run_s_ += job_run_s_;
  wait_s_ += ToSeconds(placement.start_ms() - job.submit_ms);
  return absl::OkStatus();
}

// Adds by how much the job has run longer than when it was added.
void RunMetrics::CorrectRun(const JobEnd& end) {
  const auto found = added_.find(end.job);
  if (found == added_.end()) return;
  const Added& added = found->second;
  const double longer_s = ToSeconds(end.end_ms - end.start_ms) - added.run_s;
  run_s_ += longer_s;
  for (std::size_t i = 0; i < added.values.size(); ++i) {
    sums_[i].weighted += added.values[i] * longer_s;
  }
  added_.erase(found);
}

void RunMetrics::Ended(const JobEnd& end) {
  if (runs_change_) CorrectRun(end);
  if (end.failed && end.submit_ms >= begin_ms_) {
    ++failed_.starts;
    failed_.run_s += ToSeconds(end.end_ms - end.start_ms);
    failed_.wait_s += ToSeconds(end.start_ms - end.submit_ms);
  }
  if (end.now_ms <= begin_ms_) return;
  last_end_ms_ = end.now_ms;
  node_s_ += static_cast<double>(end.nodes.size()) *
             ToSeconds(end.now_ms - std::max(end.start_ms, begin_ms_));
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

std::vector<NamedValue> RunMetrics::Values() const {
  std::vector<NamedValue> values;
  AppendAllocations(values);
  AppendTotals(values);
  return values;
}

void RunMetrics::Report(RunReport& report) const {
  report.jobs = jobs_;
  AppendAllocations(report.metrics);
  AppendTotals(report.metrics);
}

void RunMetrics::AppendAllocations(std::vector<NamedValue>& values) const {
  const auto count = static_cast<double>(jobs_);
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
  return ToSeconds(last_end_ms_ - begin_ms_);
}

void RunMetrics::AppendTotals(std::vector<NamedValue>& values) const {
  const auto count = static_cast<double>(jobs_ - failed_.starts);
  const double run_s = run_s_ - failed_.run_s;
  const double wait_s = wait_s_ - failed_.wait_s;
  const double makespan_s = MakespanS();
  values.push_back({"makespan_s", makespan_s});
  values.push_back({"mean_wait_s", Ratio(wait_s, count)});
  values.push_back({"mean_turnaround_s", Ratio(wait_s + run_s, count)});
  values.push_back({"mean_runtime_s", Ratio(run_s, count)});
  values.push_back(
      {"utilization", Ratio(node_s_, machine_nodes_ * makespan_s)});
  values.push_back(
      {"throughput_jobs_per_h", Ratio(count * kSPerHour, makespan_s)});
  values.push_back(
      {"decisions_stopped_early", static_cast<double>(stopped_early_)});
}

}  // namespace coolspan
