// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin/power_news.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(EnergyScopeTest, DependsOnTheEnergyPlugins) {
  for (const char* type :
       {"acct_gather_energy/ipmi", "ipmi", "acct_gather_energy/xcc",
        "pm_counters", "acct_gather_energy/ibmaem", "of-the-site"}) {
    EXPECT_EQ(energy_scope(type), ENERGY_OF_NODES) << type;
  }
  for (const char* type : {"acct_gather_energy/rapl", "gpu", "rsmi", "rapl,gpu",
                           "ipmi,acct_gather_energy/gpu"}) {
    EXPECT_EQ(energy_scope(type), ENERGY_OF_PARTS) << type;
  }
  for (const char* type : {static_cast<const char*>(nullptr), "", "none",
                           "acct_gather_energy/none"}) {
    EXPECT_EQ(energy_scope(type), ENERGY_OF_NOTHING)
        << (type != nullptr ? type : "NULL");
  }
}

TEST(PowerNewsTest, MeasurementIsNewOnce) {
  power_seen_t seen = {};
  const int node = 0;
  EXPECT_FALSE(power_is_new(&seen, &node, 0)) << "not measured yet";
  EXPECT_TRUE(power_is_new(&seen, &node, 100));
  EXPECT_FALSE(power_is_new(&seen, &node, 100));
  EXPECT_TRUE(power_is_new(&seen, &node, 130));
  EXPECT_TRUE(power_is_new(&seen, &node, 90)) << "clock of the node set back";
  EXPECT_FALSE(power_is_new(&seen, &node, 0)) << "slurmd restarted";
}

// After a start of slurmctld, or a change of the node table.
TEST(PowerNewsTest, FirstMeasurementSeenIsNotNew) {
  power_seen_t seen = {};
  const int node = 0;
  const int other = 0;
  EXPECT_FALSE(power_is_new(&seen, &node, 100));
  EXPECT_TRUE(power_is_new(&seen, &node, 130));
  EXPECT_FALSE(power_is_new(&seen, &other, 140));
  EXPECT_TRUE(power_is_new(&seen, &other, 150));
  EXPECT_FALSE(power_is_new(&seen, nullptr, 0)) << "node deleted";
  EXPECT_FALSE(power_is_new(&seen, &other, 160));
}

}  // namespace
}  // namespace coolspan
