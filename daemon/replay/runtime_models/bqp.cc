// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/ideal_total.h"
#include "replay/runtime_models/runtime_model.h"

namespace coolspan {
namespace {

// joint-bqp-task-mapping, section 5.3: communication takes longer in proportion
// to its cost, the logged run time being that of the ideal allocation of as
// many nodes. Costs of equal sizes compare as their pairwise totals.
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
        "--runtime-model: bqp compares with the ideal allocation, and nodes of "
        "this machine have no distance between them; want none or sst, or a "
        "machine of one node a vertex");
  }
  return std::make_unique<const Bqp>();
}

}  // namespace coolspan
