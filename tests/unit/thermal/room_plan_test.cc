// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/room_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "thermal/recirculation.h"

namespace coolspan {
namespace {

RoomPlan PlanOf(std::uint32_t rows, std::uint32_t racks, std::uint32_t nodes) {
  RoomPlan plan;
  plan.rows = rows;
  plan.racks = racks;
  plan.nodes_per_rack = nodes;
  plan.idle_peak_c = 23;
  plan.full_peak_c = 35;
  plan.seed = 7;
  return plan;
}

std::vector<double> InletsUnder(const LowRankHeat& heat, double watts,
                                double supply_c) {
  std::vector<ZonePower> all;
  for (ZoneId zone = 0; zone < heat.zone_count(); ++zone) {
    all.push_back({zone, watts});
  }
  std::vector<double> inlet_c(heat.zone_count(), supply_c);
  heat.AddRise(all, inlet_c);
  return inlet_c;
}

TEST(RoomPlanTest, PeaksAreAsPlannedAndAIsPhysical) {
  for (const RoomPlan& plan : {PlanOf(1, 1, 1), PlanOf(2, 5, 4),
                               PlanOf(3, 12, 20), PlanOf(8, 20, 40)}) {
    const auto room = MakeUpRoom(plan);
    ASSERT_TRUE(room.ok()) << room.status();
    const auto heat = LowRankHeat::Create(room->heat).value();
    EXPECT_EQ(heat->zone_count(), plan.rows * plan.racks * plan.nodes_per_rack);
    const auto idle = InletsUnder(*heat, room->idle_w, plan.supply_c);
    EXPECT_NEAR(*std::max_element(idle.begin(), idle.end()), 23, 1e-6);
    const auto busy = InletsUnder(*heat, plan.busy_w, plan.supply_c);
    EXPECT_NEAR(*std::max_element(busy.begin(), busy.end()), 35, 1e-6);
    const auto air = RecirculationOf(
        *heat, std::vector<double>(heat->zone_count(), room->airflow_w_per_k));
    ASSERT_TRUE(air.ok());
    EXPECT_FALSE(air->IsDoubtful()) << air->Describe();
    EXPECT_NEAR(std::max(air->max_row_sum.value, air->max_column_sum.value),
                plan.recirculation, 5e-3);
  }
}

TEST(RoomPlanTest, InletsAreWarmestAtTheTopAndAtTheEndsOfRows) {
  const RoomPlan plan = PlanOf(4, 21, 10);
  const auto heat = LowRankHeat::Create(MakeUpRoom(plan)->heat).value();
  const auto inlet_c = InletsUnder(*heat, plan.busy_w, plan.supply_c);
  const auto mean_of = [&](std::uint32_t rack, std::uint32_t height) {
    double sum = 0;
    for (std::uint32_t row = 0; row < plan.rows; ++row) {
      sum += inlet_c[height + 10 * (rack + 21 * row)];
    }
    return sum / plan.rows;
  };
  EXPECT_GT(mean_of(0, 9), mean_of(10, 9) + 2);
  EXPECT_GT(mean_of(20, 9), mean_of(10, 9) + 2);
  EXPECT_GT(mean_of(10, 9), mean_of(10, 0) + 2);
  // Recirculation falls with distance.
  const auto share = [&](std::uint32_t from_rack) {
    return heat->At(9 + 10 * 10, 9 + 10 * from_rack);
  };
  EXPECT_GT(share(12), 2 * share(15));
  EXPECT_GT(share(15), 2 * share(20));
  EXPECT_GT(share(20), 0);
}

TEST(RoomPlanTest, TheSameSeedGivesTheSameRoom) {
  RoomPlan plan = PlanOf(2, 3, 4);
  const auto first = MakeUpRoom(plan);
  const auto second = MakeUpRoom(plan);
  EXPECT_EQ(first->heat.draw, second->heat.draw);
  plan.seed = 8;
  EXPECT_NE(first->heat.draw, MakeUpRoom(plan)->heat.draw);
}

// Leaving out slots keeps the D of the others up to the airflow, and the room
// physical.
TEST(RoomPlanTest, OccupiedSlots) {
  RoomPlan plan = PlanOf(2, 3, 4);
  const auto whole = MakeUpRoom(plan);
  ASSERT_TRUE(whole.ok()) << whole.status();
  plan.occupied = {0, 1, 5, 7, 12, 23};
  const auto part = MakeUpRoom(plan);
  ASSERT_TRUE(part.ok()) << part.status();
  const auto all = LowRankHeat::Create(whole->heat).value();
  const auto some = LowRankHeat::Create(part->heat).value();
  ASSERT_EQ(some->zone_count(), 6U);
  for (ZoneId i = 0; i < 6; ++i) {
    for (ZoneId j = 0; j < 6; ++j) {
      EXPECT_NEAR(
          some->At(i, j) * part->airflow_w_per_k,
          all->At(plan.occupied[i], plan.occupied[j]) * whole->airflow_w_per_k,
          1e-6)
          << i << ' ' << j;
    }
  }
  const auto inlets = InletsUnder(*some, plan.busy_w, plan.supply_c);
  EXPECT_NEAR(*std::max_element(inlets.begin(), inlets.end()), plan.full_peak_c,
              1e-3);
  const auto air =
      RecirculationOf(*some, std::vector<double>(6, part->airflow_w_per_k));
  ASSERT_TRUE(air.ok()) << air.status();
  EXPECT_FALSE(air->IsDoubtful()) << air->Describe();
  for (const std::vector<ZoneId>& bad :
       {std::vector<ZoneId>{1, 0}, {1, 1}, {24}}) {
    plan.occupied = bad;
    EXPECT_FALSE(MakeUpRoom(plan).ok());
  }
}

TEST(RoomPlanTest, RefusesInvalidPlans) {
  const auto message = [](const RoomPlan& plan) {
    return std::string(MakeUpRoom(plan).status().message());
  };
  EXPECT_EQ(message(PlanOf(1, 0, 4)),
            "a room of 1 rows of 0 racks of 4 nodes (expected 1 to 16384 racks "
            "and 1 to 1048576 nodes)");
  RoomPlan cold = PlanOf(1, 1, 4);
  cold.full_peak_c = 20;
  EXPECT_EQ(message(cold),
            "supply temperature 15 C, peak inlet 23 C idle and 20 C fully "
            "loaded (expected supply < idle < full)");
  RoomPlan all = PlanOf(1, 1, 4);
  all.recirculation = 1;
  EXPECT_EQ(message(all),
            "a share of 1 of the air recirculates (expected above 0 and below "
            "0.95)");
  RoomPlan nothing = PlanOf(1, 1, 4);
  nothing.busy_w = 0;
  EXPECT_EQ(message(nothing),
            "a busy node draws 0 W (expected more than 0, at most 1000000000)");
  RoomPlan everything = PlanOf(1, 1, 4);
  everything.busy_w = 1.1e9;
  EXPECT_EQ(message(everything),
            "a busy node draws 1100000000 W (expected more than 0, at most "
            "1000000000)");
}

}  // namespace
}  // namespace coolspan
