// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/last_shell.h"

#include <gtest/gtest.h>

#include <vector>

#include "network_machines.h"

namespace coolspan {
namespace {

// The last shell can be most of a machine, and choosing from it one vertex
// after another takes the square of that.
TEST(TakeGreedilyTest, EndsWithTheBudget) {
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

  Budget short_of_it(30 * 4);
  EXPECT_FALSE(TakeGreedily(machine->topology(), sites, 20, short_of_it));
  EXPECT_TRUE(short_of_it.exhausted());
}

}  // namespace
}  // namespace coolspan
