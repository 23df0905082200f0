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

// Arrivals are counted by the half hour.
constexpr std::size_t kSlots = 48;
constexpr double kSlotS = 1800;
constexpr std::size_t kDayBegins = 11;  // at 5:30, when least arrives
constexpr std::size_t kFirstSlot = 16;  // a log begins at 8:00
constexpr double kMaxLogGap = 13;
constexpr double kMaxLogRun = 12;

double DrawGamma(double shape, double scale, std::mt19937_64& random) {
  return std::gamma_distribution<double>(shape, scale)(random);
}

// Two-stage uniform in the logarithm of the size, to the base of two; many are
// powers of two, and many are serial. Both are shares of all jobs: one draw
// decides them, as in the authors' program.
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

// Hyper-gamma in the natural logarithm, large jobs longer more often.
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

// How much arrives in each slot of a day, 1 on average: a gamma distribution
// over the slots that begins anew with the day.
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

// Gaps are drawn as if every slot were average, gamma in the natural logarithm,
// and a slot takes as much of them as its weight.
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
