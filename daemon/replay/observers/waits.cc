// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/waits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "replay/observers/percentile.h"

namespace coolspan {
namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;  // of the population
};

// REQUIRES at least one value.
Moments MomentsOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  for (const double value : values) moments.mean += value;
  moments.mean /= count;
  double squares = 0;
  for (const double value : values) {
    squares += (value - moments.mean) * (value - moments.mean);
  }
  moments.deviation = std::sqrt(squares / count);
  return moments;
}

void Append(const std::string& name, std::vector<double> values,
            std::vector<NamedValue>& metrics) {
  const auto add = [&](std::string_view suffix, auto value_of) {
    metrics.push_back(
        {name + std::string(suffix),
         values.empty() ? std::nullopt : std::optional<double>(value_of())});
  };
  std::sort(values.begin(), values.end());
  add("_p50", [&] { return Percentile(values, 0.5); });
  add("_p95", [&] { return Percentile(values, 0.95); });
  add("_p99", [&] { return Percentile(values, 0.99); });
  add("_max", [&] { return Percentile(values, 1); });
  add("_sd", [&] { return MomentsOf(values).deviation; });
}

// 0 to 100.
std::vector<float> Percentiles(std::vector<double> values) {
  constexpr int kHundred = 100;
  std::vector<float> percentiles;
  if (values.empty()) return percentiles;
  std::sort(values.begin(), values.end());
  for (int i = 0; i <= kHundred; ++i) {
    percentiles.push_back(
        static_cast<float>(Percentile(values, i / double{kHundred})));
  }
  return percentiles;
}

}  // namespace

double BoundedSlowdown(double wait_s, double run_s) {
  constexpr double kBoundS = 10;
  return std::max(1.0, (wait_s + run_s) / std::max(run_s, kBoundS));
}

absl::Status Waits::Started(const JobStart& start) {
  if (!start.counted) return absl::OkStatus();
  const double wait_s =
      ToSeconds(start.placement.start_ms() - start.job.submit_ms);
  const double run_s = ToSeconds(start.measured.run.run_ms);
  wait_s_.push_back(wait_s);
  if (!runs_change_) slowdown_.push_back(BoundedSlowdown(wait_s, run_s));
  return absl::OkStatus();
}

void Waits::Ended(const JobEnd& end) {
  if (end.submit_ms < begin_ms_) return;
  const double wait_s = ToSeconds(end.start_ms - end.submit_ms);
  const double slowdown =
      BoundedSlowdown(wait_s, ToSeconds(end.end_ms - end.start_ms));
  if (end.failed) {
    Forget(wait_s, slowdown);
  } else if (runs_change_) {
    slowdown_.push_back(slowdown);
  }
}

void Waits::Forget(double wait_s, double slowdown) {
  const auto forget = [](std::vector<double>& values, std::size_t i) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
  };
  if (runs_change_) {
    for (std::size_t i = wait_s_.size(); i-- > 0;) {
      if (wait_s_[i] == wait_s) return forget(wait_s_, i);
    }
    return;
  }
  // Late starts are at the end.
  for (std::size_t i = wait_s_.size(); i-- > 0;) {
    if (wait_s_[i] != wait_s || slowdown_[i] != slowdown) continue;
    forget(wait_s_, i);
    forget(slowdown_, i);
    return;
  }
}

void Waits::Report(RunReport& report) const {
  Append("wait_s", wait_s_, report.metrics);
  report.wait_percentiles_s = Percentiles(wait_s_);
  report.metrics.push_back({"mean_bounded_slowdown",
                            slowdown_.empty()
                                ? std::nullopt
                                : std::optional(MomentsOf(slowdown_).mean)});
  Append("bounded_slowdown", slowdown_, report.metrics);
}

}  // namespace coolspan
