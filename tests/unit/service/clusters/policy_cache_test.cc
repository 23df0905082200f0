// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/policy_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/service/small_cluster.h"

namespace coolspan {
namespace {

TEST(PolicyShelfTest, AllWhoAskForASpecGetTheSame) {
  const DaemonSetup setup = SmallSetup("/tmp");
  PolicyShelf shelf(setup);
  EXPECT_EQ(shelf.Named("first-fit").value(), setup.policy);
  const auto mm = shelf.Named("mm").value();
  EXPECT_EQ(shelf.Named("mm").value(), mm);
  EXPECT_NE(shelf.Named("ptas:epsilon=0.5").value(),
            shelf.Named("ptas:epsilon=0.25").value());
  EXPECT_FALSE(shelf.Named("nm").ok());
}

TEST(PolicyShelfTest, NumbersWithoutEndDriveOutWhatNobodyAsksForAnyMore) {
  const DaemonSetup setup = SmallSetup("/tmp");
  PolicyShelf shelf(setup);
  const auto asked_for = shelf.Named("mm").value();
  const auto forgotten = shelf.Named("mm-inc").value();
  for (int i = 1; i <= 200; ++i) {
    const auto made = shelf.Named("ptas:epsilon=0." + std::to_string(i + 100));
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_EQ(shelf.Named("mm").value(), asked_for) << i;
  }
  EXPECT_EQ(forgotten.use_count(), 1);
}

}  // namespace
}  // namespace coolspan
