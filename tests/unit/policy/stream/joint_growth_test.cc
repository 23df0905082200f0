// SPDX-License-Identifier: GPL-3.0-or-later
// JointGrowth, RoomModel and Lookahead on a small room, against the
// definitions.
#include "policy/stream/joint_growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/room_state.h"
#include "mesh_machine.h"
#include "policy/stream/lookahead.h"
#include "policy/stream/neighbours.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr double kShare = 0.5;
constexpr StreamWeights kWeights = {0.2, 0.5, 0.25, 0};

// A 4x2 mesh; nodes 6 and 7 are busy until 400 s.
class JointGrowthTest : public ::testing::Test {
 protected:
  JointGrowthTest()
      : machine_(InRoom(*MeshMachine(FlatGrid({4, 2})),
                        RoomDescription(8, 8, RandomHeat(8, 0.004, 3)))),
        free_(8, std::vector<NodeId>{0, 1, 2, 3, 4, 5}),
        jobs_(*machine_, free_),
        neighbours_(machine_->topology()),
        pairs_(machine_->topology(), neighbours_),
        room_(*jobs_.view(), free_, 8, kShare),
        growth_(pairs_, room_, kWeights, 1) {
    now_.is_free = {1, 1, 1, 1, 1, 1, 0, 0};
    now_.end_ms.assign(8, kUnknownEnd);
    now_.end_ms[6] = now_.end_ms[7] = 400'000;
    now_.now_ms = 100'000;
    now_.inlet_c.assign(room_.inlet_c().begin(), room_.inlet_c().end());
    now_.it_w = room_.it_w();
  }

  Lookahead LookaheadOf(const HopValue& value,
                        std::uint64_t max_work = Budget::kUnlimited) {
    return Lookahead({growth_, pairs_, room_, value, 1, now_, budget_},
                     {{400'000, {6, 7}}}, max_work);
  }
  // The room with more nodes busy, by its own model.
  double CoolingWith(const std::vector<NodeId>& nodes) const {
    std::vector<NodeLoad> loads(8);
    loads[6].compute = loads[7].compute = 1;
    for (const NodeId node : nodes) {
      loads[node] = {static_cast<float>(1 - kShare),
                     static_cast<float>(kShare)};
    }
    RoomState state(machine_->room());
    state.Follow(loads);
    const RoomView view = state.view();
    const auto inlets = view.inlet_c();
    const double peak = *std::max_element(inlets.begin(), inlets.end());
    return machine_->room()->CoolingWatts(view.it_w(),
                                          machine_->room()->SupplyMaxC(peak));
  }
  double CostOf(const std::vector<NodeId>& nodes, const JointJob& job) const {
    double hops = 0;
    double phi = 0;
    for (const NodeId node : nodes) {
      for (const NodeId other : nodes) {
        hops += machine_->topology().Distance(node, other);
      }
      for (NodeId other = 0; other < 8; ++other) {
        if (machine_->topology().Distance(node, other) != 1) continue;
        if (std::find(nodes.begin(), nodes.end(), other) != nodes.end()) {
          continue;
        }
        phi +=
            other < 6 ? 1 : PhiOf(job.run_ms, 400'000, now_.now_ms, kWeights);
      }
    }
    const auto n = static_cast<double>(nodes.size());
    const double mean = n > 1 ? hops / (n * (n - 1)) : 0;
    return job.watts_per_hop * (mean + job.perimeter_weight * phi) +
           CoolingWith(nodes);
  }

  std::shared_ptr<const Machine> machine_;
  NodeSet free_;
  RoomWithJobs jobs_;
  Neighbours neighbours_;
  NodePairs pairs_;
  RoomModel room_;
  JointGrowth growth_;
  Budget budget_;
  JointState now_;
};

TEST_F(JointGrowthTest, CostIsThatOfTheDefinition) {
  const JointJob job = {3, 200'000, 150, 0.2};
  growth_.Begin(now_, job, {});
  for (const std::vector<NodeId>& nodes :
       {std::vector<NodeId>{0, 1, 2}, {0, 3, 5}, {1, 4, 5}, {2, 3, 5}}) {
    EXPECT_NEAR(growth_.CostOf(nodes), CostOf(nodes, job), 1e-2);
  }
}

TEST_F(JointGrowthTest, AGrownSetHasTheCostThatIsReported) {
  const JointJob job = {3, 200'000, 150, 0.2};
  growth_.Begin(now_, job, {});
  for (const NodeId centre : growth_.free_nodes()) {
    const JointSet set = growth_.Grow(centre);
    EXPECT_EQ(set.nodes.size(), 3U);
    EXPECT_TRUE(std::count(set.nodes.begin(), set.nodes.end(), centre) == 1);
    EXPECT_NEAR(set.cost_w, CostOf(set.nodes, job), 1e-2);
  }
}

TEST_F(JointGrowthTest, RequiredNodesAreInEverySet) {
  const JointJob job = {3, 200'000, 150, 0.2};
  const std::vector<NodeId> required = {0, 5};
  growth_.Begin(now_, job, required);
  const JointSet set = growth_.Grow(3);
  EXPECT_EQ(set.nodes, (std::vector<NodeId>{0, 3, 5}));
}

TEST_F(JointGrowthTest, WithoutDistanceTheCoolestNodeIsTaken) {
  const JointJob job = {1, 200'000, 0, 0};
  growth_.Begin(now_, job, {});
  const JointSet set = growth_.Grow(std::nullopt, false);
  double least = CoolingWith({set.nodes[0]});
  for (NodeId node = 0; node < 6; ++node) {
    EXPECT_GE(CoolingWith({node}), least - 1e-3) << node;
  }
}

TEST_F(JointGrowthTest, TheRoomModelIsThatOfTheRoom) {
  std::vector<double> row(8);
  double peak_c = 0;
  for (ZoneId zone = 0; zone < 8; ++zone) {
    peak_c = std::max(peak_c, jobs_.view()->inlet_c()[zone]);
  }
  const auto inlets = room_.inlet_c();
  EXPECT_NEAR(*std::max_element(inlets.begin(), inlets.end()), peak_c, 1e-4);
  EXPECT_DOUBLE_EQ(room_.AddedWatts(0), 150);  // 250 busy, 100 idle
  EXPECT_DOUBLE_EQ(room_.CoolingWatts(1000, 25),
                   machine_->room()->CoolingWatts(1000, 20));
  // Hotter than any supply temperature can cool: still growing.
  EXPECT_GT(room_.CoolingWatts(1000, 60), room_.CoolingWatts(1000, 50));
}

TEST_F(JointGrowthTest, AFutureWithoutJobsCostsCoolingAndStretch) {
  const std::vector<double> ideal = {1, 1, 1, 4.0 / 3, 1, 1, 1, 1, 1};
  const HopValue value(1000, kShare, ideal);
  EXPECT_DOUBLE_EQ(value.WattsPerHop(3), 1000 * 3 * kShare / (4.0 / 3));
  Lookahead lookahead = LookaheadOf(value);
  const JointJob job = {3, 200'000, value.WattsPerHop(3), 0.2};
  const std::vector<NodeId> compact = {0, 1, 4};  // mean 4/3: no stretch
  const double cost_j = *lookahead.CostOf(compact, job, {}, 150'000);
  EXPECT_NEAR(cost_j, 150 * CoolingWith(compact), 1);
  const std::vector<NodeId> line = {0, 1, 2};  // also 4/3
  EXPECT_NEAR(*lookahead.CostOf(line, job, {}, 150'000),
              150 * CoolingWith(line), 1);
  const std::vector<NodeId> wide = {0, 3, 4};  // mean 8/3: 1.5 times as long
  EXPECT_NEAR(*lookahead.CostOf(wide, job, {}, 150'000),
              150 * CoolingWith(wide) + 1000 * 3 * 100, 1);
}

TEST_F(JointGrowthTest, ComingJobsWaitForNodesInOrder) {
  const std::vector<double> ideal(9, 1);
  const HopValue value(0, kShare, ideal);
  Lookahead lookahead = LookaheadOf(value);
  const JointJob job = {3, 1'000'000, 0, 0};
  const std::vector<NodeId> nodes = {0, 1, 4};
  // Needs five nodes: starts at 400 s, when 6 and 7 become free, 300 s from
  // now; the small one behind it waits too.
  const Future blocked = {{{100'000, 5, 1'000'000}, {100'000, 1, 1'000'000}}};
  const double alone = *lookahead.CostOf(nodes, job, {}, 300'000);
  EXPECT_NEAR(*lookahead.CostOf(nodes, job, blocked, 300'000), alone, 1);
  const Future small = {{{100'000, 1, 1'000'000}}};
  EXPECT_GT(*lookahead.CostOf(nodes, job, small, 300'000), alone + 1);
}

// One decision of Slurm waited for hundreds of milliseconds for a single future
// of many large jobs.
TEST_F(JointGrowthTest, AFutureEndsWithItsBudget) {
  const std::vector<double> ideal(9, 1);
  const HopValue value(0, kShare, ideal);
  const JointJob job = {1, 1'000'000, 0, 0};
  const std::vector<NodeId> nodes = {0};
  Future many;
  for (TimeMs i = 0; i < 64; ++i) many.jobs.push_back({100'000 + i, 2, 1});
  Lookahead all = LookaheadOf(value);
  ASSERT_TRUE(all.CostOf(nodes, job, many, 300'000).has_value());
  constexpr std::uint64_t kMaxWork = 500;
  constexpr std::uint64_t kOneGrow = 100;
  ASSERT_GT(all.work(), 2 * kMaxWork);
  Lookahead little = LookaheadOf(value, kMaxWork);
  EXPECT_FALSE(little.CostOf(nodes, job, many, 300'000).has_value());
  EXPECT_LE(little.work(), kMaxWork + kOneGrow);
  // A deadline that passes during the future.
  int reads = 0;
  budget_ =
      Budget(Budget::kUnlimited, [&reads] { return ++reads > 10 ? 1.0 : 0.0; });
  Lookahead late = LookaheadOf(value);
  EXPECT_FALSE(late.CostOf(nodes, job, many, 300'000).has_value());
  EXPECT_EQ(reads, 11);
}

}  // namespace
}  // namespace coolspan
