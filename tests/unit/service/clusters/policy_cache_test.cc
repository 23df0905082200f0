// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/policy_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/service/small_cluster.h"

namespace coolspan {
namespace {

TEST(PolicyCacheTest, EqualSpecsShareOnePolicy) {
  const DaemonSetup setup = SmallSetup("/tmp");
  PolicyCache policy_cache(setup);
  EXPECT_EQ(policy_cache.Named("first-fit").value(), setup.policy);
  const auto mm = policy_cache.Named("mm").value();
  EXPECT_EQ(policy_cache.Named("mm").value(), mm);
  EXPECT_NE(policy_cache.Named("ptas:epsilon=0.5").value(),
            policy_cache.Named("ptas:epsilon=0.25").value());
  EXPECT_FALSE(policy_cache.Named("nm").ok());
}

TEST(PolicyCacheTest, EvictsTheLeastRecentlyUsedPolicy) {
  const DaemonSetup setup = SmallSetup("/tmp");
  PolicyCache policy_cache(setup);
  const auto asked_for = policy_cache.Named("mm").value();
  const auto forgotten = policy_cache.Named("mm-inc").value();
  for (int i = 1; i <= 200; ++i) {
    const auto made =
        policy_cache.Named("ptas:epsilon=0." + std::to_string(i + 100));
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_EQ(policy_cache.Named("mm").value(), asked_for) << i;
  }
  EXPECT_EQ(forgotten.use_count(), 1);
}

}  // namespace
}  // namespace coolspan
