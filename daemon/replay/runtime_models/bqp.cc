// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/ideal_total.h"
#include "replay/runtime_models/runtime_model.h"

namespace coolspan {
namespace {

// joint-bqp-task-mapping, section 5.3: the logged run time is that of the ideal
// allocation of the same size, and communication time scales with its cost:
//   delay = cost / ideal cost = pairwise_total / ideal_pairwise_total.
class Bqp final : public RuntimeModel {
 public:
  double Delay(const Locality& locality, NodeCount nodes,
               std::uint64_t) const override {
    if (nodes < 2) return 1;
    return static_cast<double>(locality.pairwise_total) /
           static_cast<double>(locality.ideal_pairwise_total);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<const RuntimeModel>> MakeBqpRuntimeModel(
    const RuntimeOptions&, const Topology& topology) {
  if (topology.node_count() >= 2 && IdealTotals(topology).For(2) == 0) {
    return absl::InvalidArgumentError(
        "--runtime-model: bqp needs distances above 0 between all nodes, and "
        "this machine has several nodes per vertex (expected none or sst)");
  }
  return std::make_unique<const Bqp>();
}

}  // namespace coolspan
