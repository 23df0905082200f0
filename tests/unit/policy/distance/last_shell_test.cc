// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/last_shell.h"

#include <gtest/gtest.h>

#include <vector>

#include "network_machines.h"

namespace coolspan {
namespace {

// The last shell can contain most of the machine, and taking it vertex by
// vertex is quadratic.
TEST(TakeGreedilyTest, StopsWhenTheBudgetEnds) {
  const auto machine = DragonflyMachine();
  std::vector<ShellSite> sites;
  for (VertexId vertex = 0; vertex < 30; ++vertex) {
    sites.push_back({0, vertex, 1});
  }
  Budget enough(30 * 20);
  const auto taken = TakeGreedily(machine->topology(), sites, 20, enough);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->sites.size(), 20);
  EXPECT_FALSE(enough.exhausted());

  Budget too_small(30 * 4);
  EXPECT_FALSE(TakeGreedily(machine->topology(), sites, 20, too_small));
  EXPECT_TRUE(too_small.exhausted());
}

}  // namespace
}  // namespace coolspan
