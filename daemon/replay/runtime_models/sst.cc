// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "replay/runtime_models/runtime_model.h"
#include "replay/split_mix.h"

namespace coolspan {
namespace {

// From 0 to below 1, from a job's seed; not what a policy draws from it.
double DrawnFor(std::uint64_t seed) {
  constexpr int kBits = 53;
  constexpr std::uint64_t kStep = 0x52756e54696d65;
  return std::ldexp(static_cast<double>(SplitMix(seed, kStep) >> (64 - kBits)),
                    -kBits);
}

// joint-allocation-sst, section 3.2, equations 1 to 3. Their jobs have two
// nodes or more; one node has nobody to talk to and no delay.
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
        fmt::format("--runtime-noise: {}; want a number from 0 to {}",
                    options.noise, kMaxRuntimeNoise));
  }
  return std::make_unique<const Sst>(options.comm_cost, options.noise);
}

}  // namespace coolspan
