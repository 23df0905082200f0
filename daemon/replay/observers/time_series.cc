// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/time_series.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace coolspan {
namespace {

constexpr std::size_t kLargestInterval = 1;  // in SpaceNames

}  // namespace

TimeSeries::TimeSeries(const Setup& setup)
    : setup_(setup),
      free_space_(setup.machine, setup.ordering, setup.with_shape),
      space_names_(SpaceNames(free_space_.Measure(), setup.machine.topology())),
      now_ms_(setup.begin_ms),
      is_used_(setup.machine.node_count(), false),
      is_unavailable_(setup.machine.node_count(), false),
      samples_(setup.begin_ms, setup.min_end_ms, kMaxSamples) {}

void TimeSeries::AdvanceTo(TimeMs now_ms) {
  samples_.AddBefore(now_ms, [this] { return Measure(); });
  now_ms_ = now_ms;
  has_events_ = true;
}

const SeriesSample& TimeSeries::Measure() {
  if (is_measured_) return state_;
  state_.free = free_space_.Measure();
  if (setup_.room != nullptr) {
    const Cooling& cooling = setup_.room->Now();
    state_.room = {.peak_inlet_c = cooling.peak_inlet_c,
                   .it_w = cooling.it_w,
                   .cooling_w = cooling.cooling_w};
  }
  if (setup_.network != nullptr && setup_.in_report)
    state_.network = setup_.network->Now();
  is_measured_ = true;
  return state_;
}

void TimeSeries::Submitted(const WorkloadJob& job, TimeMs now_ms) {
  AdvanceTo(now_ms);
  ++state_.queued_jobs;
  state_.queued_nodes += job.nodes;
}

absl::Status TimeSeries::Started(const JobStart& start) {
  AdvanceTo(start.placement.start_ms());
  --state_.queued_jobs;
  state_.queued_nodes -= start.job.nodes;
  ++state_.running_jobs;
  Take(start.placement.nodes);
  return absl::OkStatus();
}

void TimeSeries::Release(const std::vector<NodeId>& nodes) {
  freed_.clear();
  for (const NodeId node : nodes) {
    is_used_[node] = false;
    if (!is_unavailable_[node]) freed_.push_back(node);
  }
  state_.unavailable_nodes +=
      static_cast<NodeCount>(nodes.size() - freed_.size());
  state_.used_nodes -= static_cast<NodeCount>(nodes.size());
  free_space_.Release(freed_);
  is_measured_ = false;
}

void TimeSeries::Take(const std::vector<NodeId>& nodes) {
  state_.used_nodes += static_cast<NodeCount>(nodes.size());
  free_space_.Take(nodes);
  for (const NodeId node : nodes) is_used_[node] = true;
  is_measured_ = false;
}

void TimeSeries::Moved(const JobMove& move) {
  AdvanceTo(move.now_ms);
  Release(move.from);
  Take(move.to);
}

void TimeSeries::Ended(const JobEnd& end) {
  AdvanceTo(end.now_ms);
  --state_.running_jobs;
  Release(end.nodes);
}

// Nodes in use count as used until their job ends.
void TimeSeries::NodesChanged(const NodesChange& change) {
  AdvanceTo(change.now_ms);
  freed_.clear();
  for (const NodeId node : change.nodes) {
    is_unavailable_[node] = !change.returned;
    if (!is_used_[node]) freed_.push_back(node);
  }
  const auto count = static_cast<NodeCount>(freed_.size());
  if (change.returned) {
    state_.unavailable_nodes -= count;
    free_space_.Release(freed_);
  } else {
    state_.unavailable_nodes += count;
    free_space_.Take(freed_);
  }
  is_measured_ = false;
}

void TimeSeries::ReportMeans(RunReport& report) const {
  std::vector<double> sums(space_names_.size(), 0);
  double fragmentation = 0;
  double with_free = 0;
  const std::vector<SeriesSample>& samples = samples_.values();
  for (const SeriesSample& sample : samples) {
    const std::vector<double> values = SpaceValues(sample.free);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    const double free = setup_.machine.node_count() - sample.used_nodes -
                        sample.unavailable_nodes;
    if (free == 0) continue;
    fragmentation += 1 - sample.free.largest_interval / free;
    ++with_free;
  }
  const auto count = static_cast<double>(samples.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    report.metrics.push_back({space_names_[i], Ratio(sums[i], count)});
    if (i != kLargestInterval) continue;
    report.metrics.push_back(
        {"interval_fragmentation", Ratio(fragmentation, with_free)});
  }
}

// An instant may fall on the last end.
void TimeSeries::Finished() {
  if (has_events_) samples_.AddThrough(now_ms_, [this] { return Measure(); });
}

void TimeSeries::Report(RunReport& report) const {
  ReportMeans(report);
  if (!setup_.in_report) return;
  report.series = {.begin_ms = samples_.begin_ms(),
                   .interval_ms = samples_.interval_ms(),
                   .samples = samples_.values()};
}

}  // namespace coolspan
