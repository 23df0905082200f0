// SPDX-License-Identifier: GPL-3.0-or-later
// Lublin and Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs", Journal of Parallel and Distributed Computing
// 63 (2003): the model and its parameters for batch and interactive jobs
// together.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "replay/workload_models/workload_model.h"

namespace coolspan {
namespace {

// The daily cycle has slots of half an hour.
constexpr std::size_t kSlots = 48;
constexpr double kSlotS = 1800;
constexpr std::size_t kDayBegins = 11;  // 5:30, the minimum of arrivals
constexpr std::size_t kFirstSlot = 16;  // logs begin at 8:00
constexpr double kMaxLogGap = 13;
constexpr double kMaxLogRun = 12;

double DrawGamma(double shape, double scale, std::mt19937_64& random) {
  return std::gamma_distribution<double>(shape, scale)(random);
}

// log2(size) is two-stage uniform. A share of all jobs is serial, and another
// share has its size rounded to a power of two; as in the authors' program, one
// draw decides both.
NodeCount DrawSize(NodeCount nodes, std::mt19937_64& random) {
  constexpr double kSerial = 0.244;
  constexpr double kPowerOfTwo = 0.576;
  constexpr double kLow = 0.8;
  constexpr double kMiddleBelowHigh = 2.5;
  constexpr double kLowStage = 0.86;
  const double kind = DrawUnit(random);
  if (kind <= kSerial || nodes < 2) return 1;
  const double high = std::log2(nodes);
  const double low = std::min(kLow, high);
  const double middle = std::max(low, high - kMiddleBelowHigh);
  const bool low_stage = DrawUnit(random) <= kLowStage;
  const double from = low_stage ? low : middle;
  const double to = low_stage ? middle : high;
  double log_size = from + (to - from) * DrawUnit(random);
  if (kind <= kSerial + kPowerOfTwo) log_size = std::round(log_size);
  return std::clamp(static_cast<NodeCount>(std::lround(std::exp2(log_size))),
                    NodeCount{1}, nodes);
}

// ln(run time) is hyper-gamma: with probability p = 0.78 - 0.0054 size from
// Gamma(4.2, 0.94), else from Gamma(312, 0.03).
double DrawRunS(NodeCount size, std::mt19937_64& random) {
  constexpr double kSlope = -0.0054;
  constexpr double kAtZero = 0.78;
  const double short_share = std::clamp(kSlope * size + kAtZero, 0.0, 1.0);
  for (;;) {
    const double log_run = DrawUnit(random) <= short_share
                               ? DrawGamma(4.2, 0.94, random)
                               : DrawGamma(312, 0.03, random);
    if (log_run <= kMaxLogRun) return std::exp(log_run);
  }
}

// Relative arrivals in each slot of a day, 1 on average: the density of
// Gamma(8.1737, 3.9631) over the slots from kDayBegins on.
std::array<double, kSlots> DailyCycle() {
  constexpr double kShape = 8.1737;
  constexpr double kScale = 3.9631;
  const auto density = [](double slot) {
    return std::exp((kShape - 1) * std::log(slot) - slot / kScale);
  };
  std::array<double, kSlots> weights{};
  for (std::size_t i = kDayBegins; i < kDayBegins + kSlots; ++i) {
    constexpr int kParts = 16;
    for (int part = 0; part < kParts; ++part) {
      weights[i % kSlots] +=
          density(static_cast<double>(i) - 0.5 + (part + 0.5) / kParts);
    }
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight *= kSlots / sum;
  return weights;
}

// Gaps are drawn for an average slot, ln(gap) from a gamma distribution, and
// pass faster in slots of a higher weight: a slot consumes its weight in slots.
class Arrivals {
 public:
  double NextS(std::mt19937_64& random) {
    constexpr double kShapeInRushHours = 10.2303;
    constexpr double kAllOverRush = 1.0225;
    constexpr double kScale = 0.4871;
    double log_gap = 0;
    do {
      log_gap = DrawGamma(kShapeInRushHours * kAllOverRush, kScale, random);
    } while (log_gap > kMaxLogGap);
    double gap = std::exp(log_gap) / kSlotS;
    while (gap > left_ * weights_[slot_]) {
      gap -= left_ * weights_[slot_];
      now_s_ += left_ * kSlotS;
      left_ = 1;
      slot_ = (slot_ + 1) % kSlots;
    }
    const double part = gap / weights_[slot_];
    left_ -= part;
    now_s_ += part * kSlotS;
    return now_s_;
  }

 private:
  const std::array<double, kSlots> weights_ = DailyCycle();
  std::size_t slot_ = kFirstSlot;
  double left_ = 1;  // of the slot
  double now_s_ = 0;
};

}  // namespace

JobSource MakeLublin99Jobs(NodeCount nodes, std::uint64_t seed) {
  return
      [nodes, random = std::mt19937_64(seed), arrivals = Arrivals()]() mutable {
        GeneratedJob job;
        job.submit_s = arrivals.NextS(random);
        job.nodes = DrawSize(nodes, random);
        job.run_s = DrawRunS(job.nodes, random);
        return job;
      };
}

}  // namespace coolspan
