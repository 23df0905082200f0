// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/previews.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>

namespace coolspan {

Previews::Previews(const ReplaySetup& setup, AllocatorPort& port,
                   StartMeter& meter)
    : policies_(setup.previewed), port_(port), meter_(meter) {
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    metrics_.emplace_back(setup.machine->node_count());
  }
}

absl::Status Previews::Ask(const WorkloadJob& job, const Placement& placement) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    const absl::StatusOr<bool> placed = port_.Preview(i, placement.ask, nodes_);
    const std::chrono::duration<double, std::micro> taken =
        Clock::now() - begin;
    if (!placed.ok()) {
      const std::string message(placed.status().message());
      return {placed.status().code(),
              fmt::format("decision policy {}: {}", policies_[i], message)};
    }
    if (!*placed) continue;
    const Placement chosen = {.job = placement.job,
                              .ask = placement.ask,
                              .nodes = nodes_,
                              .decision_us = taken.count()};
    metrics_[i].Add(job, chosen, meter_.Measure(job, chosen));
  }
  return absl::OkStatus();
}

std::vector<PreviewReport> Previews::Reports(double wall_s) const {
  std::vector<PreviewReport> reports;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    reports.push_back({.policy = policies_[i],
                       .jobs = metrics_[i].jobs(),
                       .metrics = metrics_[i].Values(wall_s)});
  }
  return reports;
}

}  // namespace coolspan
