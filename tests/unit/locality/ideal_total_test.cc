// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/ideal_total.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "counting_topology.h"
#include "network_machines.h"

namespace coolspan {
namespace {

TEST(IdealTotalsTest, LargeShapesOfNetworksTakeNoPairwiseWork) {
  constexpr NodeCount kNodes = 40'000;
  const CountingTopology topology(StarOf(kNodes));
  IdealTotals ideal(topology);
  const std::uint64_t nodes = kNodes / 2;
  EXPECT_EQ(ideal.For(kNodes / 2), nodes * (nodes - 1));
  EXPECT_LT(topology.asked(), 100 * kNodes);
}

// The nearest nodes of a router are in parts of many groups; whole groups are
// more compact.
TEST(IdealTotalsTest, LargeShapesOfNetworksAreNoWorseThanTheFirstNodes) {
  const auto topology = MakeDragonfly({100, 64, 1}).value();
  constexpr NodeCount kNodes = 3200;
  std::vector<NodeId> first(kNodes);
  std::iota(first.begin(), first.end(), NodeId{0});
  IdealTotals ideal(*topology);
  EXPECT_LE(ideal.For(kNodes), topology->PairwiseTotal(first));
}

}  // namespace
}  // namespace coolspan
