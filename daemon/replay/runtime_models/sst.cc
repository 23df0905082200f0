// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "replay/runtime_models/runtime_model.h"
#include "replay/split_mix.h"

namespace coolspan {
namespace {

// Uniform in [0, 1), from the seed of a job. kStep keeps it independent of what
// policies draw from that seed.
double DrawnFor(std::uint64_t seed) {
  constexpr int kBits = 53;
  constexpr std::uint64_t kStep = 0x52756e54696d65;
  return std::ldexp(static_cast<double>(SplitMix(seed, kStep) >> (64 - kBits)),
                    -kBits);
}

// joint-allocation-sst, section 3.2, equations 1 to 3:
//   delay = 0.9875 + (0.0962 + r) CC,  r uniform in [-rho, rho),
// for jobs of two and more nodes; a job of one node has no delay.
class Sst final : public RuntimeModel {
 public:
  Sst(CommCost comm_cost, double noise)
      : comm_cost_(comm_cost), noise_(noise) {}

  double Delay(const Locality& locality, NodeCount nodes,
               std::uint64_t seed) const override {
    constexpr double kBase = 0.9875;
    constexpr double kPerHop = 0.0962;
    if (nodes < 2) return 1;
    const double cost = CostOf(locality, nodes);
    const double chance = noise_ * (2 * DrawnFor(seed) - 1);
    return kBase + (kPerHop + chance) * cost;
  }

 private:
  double CostOf(const Locality& locality, NodeCount nodes) const {
    switch (comm_cost_) {
      case CommCost::kOrdered:
        return locality.comm_cost;
      case CommCost::kUnordered:
        return static_cast<double>(locality.pairwise_total) / nodes;
      case CommCost::kMeanHop:
        return locality.pairwise_mean;
    }
    return 0;
  }

  const CommCost comm_cost_;
  const double noise_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeSstRuntimeModel(
    const RuntimeOptions& options, const Topology&) {
  if (!(options.noise >= 0 && options.noise <= kMaxRuntimeNoise)) {
    return absl::InvalidArgumentError(
        fmt::format("--runtime-noise: {} is out of range (expected 0 to {})",
                    options.noise, kMaxRuntimeNoise));
  }
  return std::make_unique<const Sst>(options.comm_cost, options.noise);
}

}  // namespace coolspan
