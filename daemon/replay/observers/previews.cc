// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/previews.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <utility>

namespace coolspan {

Previews::Previews(const ReplaySetup& setup, TimeMs begin_ms,
                   AllocatorPort& port, StartMeter& meter)
    : policies_(setup.previewed), port_(port), meter_(meter) {
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    evaluated_.emplace_back(setup.machine->node_count(), begin_ms);
  }
}

absl::Status Previews::Started(const JobStart& start) {
  if (!start.counted) return absl::OkStatus();
  const Placement& placement = start.placement;
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    const absl::StatusOr<AllocatorPort::Answer> answer =
        port_.Preview(i, placement.ask, nodes_);
    const std::chrono::duration<double, std::micro> taken =
        Clock::now() - begin;
    if (!answer.ok()) {
      const std::string message(answer.status().message());
      return {answer.status().code(),
              fmt::format("decision policy {}: {}", policies_[i], message)};
    }
    if (!answer->placed) continue;
    const Placement chosen = {.job = placement.job,
                              .ask = placement.ask,
                              .nodes = nodes_,
                              .decision_us = taken.count(),
                              .stopped_early = answer->stopped_early};
    const MeasuredStart measured = meter_.Measure(start.job, chosen);
    const JobStart instead = {start.job, chosen, measured};
    for (RunObserver* const observer :
         {static_cast<RunObserver*>(&evaluated_[i].metrics),
          static_cast<RunObserver*>(&evaluated_[i].times)}) {
      if (absl::Status noted = observer->Started(instead); !noted.ok()) {
        return noted;
      }
    }
  }
  return absl::OkStatus();
}

void Previews::Ended(const JobEnd& end) {
  for (Evaluated& evaluated : evaluated_) evaluated.metrics.Ended(end);
}

void Previews::Report(RunReport& report) const {
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    const auto& [metrics, times] = evaluated_[i];
    PreviewReport preview = {.policy = policies_[i],
                             .jobs = metrics.jobs(),
                             .metrics = metrics.Values()};
    times.AppendTo(preview.metrics, report.wall_s);
    report.previews.push_back(std::move(preview));
  }
}

}  // namespace coolspan
