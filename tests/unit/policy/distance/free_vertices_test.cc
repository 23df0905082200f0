// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/free_vertices.h"

#include <gtest/gtest.h>

#include "counting_topology.h"

namespace coolspan {
namespace {

TEST(MostCompactAroundTest, WorkOnLargeNetworksIsNotQuadratic) {
  constexpr NodeCount kNodes = 40'000;
  const CountingTopology topology(StarOf(kNodes));
  VertexPool pool;
  for (VertexId v = 0; v < kNodes; ++v) pool.Add(v, 1, v == 7 ? 1 : 0);
  constexpr std::uint64_t kRequested = kNodes / 2;
  Budget none(0);
  const VertexSet found =
      MostCompactAround(topology, pool, kRequested, 1000, none);
  EXPECT_EQ(found.total, kRequested * (kRequested - 1));
  EXPECT_EQ(found.taken[7], 1);
  const std::uint64_t calls_for_one_centre = topology.asked();
  EXPECT_LT(calls_for_one_centre, std::uint64_t{10} * kNodes);

  Budget two_centres(kNodes * kRequested / 3);
  MostCompactAround(topology, pool, kRequested, 1000, two_centres);
  EXPECT_TRUE(two_centres.exhausted());
  EXPECT_EQ(topology.asked(), 2 * calls_for_one_centre + 2 * kNodes);
}

}  // namespace
}  // namespace coolspan
