// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/free_vertices.h"

#include <gtest/gtest.h>

#include "counting_topology.h"

namespace coolspan {
namespace {

TEST(MostCompactAroundTest, TakesNoWorkByPairsForLargeShapesOfNetworks) {
  constexpr NodeCount kNodes = 40'000;
  const CountingTopology topology(StarOf(kNodes));
  VertexPool pool;
  for (VertexId v = 0; v < kNodes; ++v) pool.Add(v, 1, v == 7 ? 1 : 0);
  constexpr std::uint64_t kWanted = kNodes / 2;
  Budget none(0);
  const VertexSet found =
      MostCompactAround(topology, pool, kWanted, 1000, none);
  EXPECT_EQ(found.total, kWanted * (kWanted - 1));
  EXPECT_EQ(found.taken[7], 1);
  const std::uint64_t asked_for_one = topology.asked();
  EXPECT_LT(asked_for_one, std::uint64_t{10} * kNodes);

  Budget of_three(kNodes * kWanted / 3);
  MostCompactAround(topology, pool, kWanted, 1000, of_three);
  EXPECT_TRUE(of_three.exhausted());
  EXPECT_EQ(topology.asked(), 2 * asked_for_one + 2 * kNodes);
}

}  // namespace
}  // namespace coolspan
