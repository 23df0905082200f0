// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_config.h"

#include <gtest/gtest.h>

#include <memory>

#include "unit/service/clusters/gated_cluster_test.h"

namespace coolspan {
namespace {

// The last user of a replaced configuration would otherwise free it, which
// takes long on a large machine.
TEST(CurrentConfigTest, ReplacedOnesAreFreedWhenAsked) {
  const DaemonSetup setup = SmallSetup("/tmp");
  auto first = std::make_shared<const DecisionConfig>(setup);
  const std::weak_ptr<const DecisionConfig> watched = first;
  CurrentConfig current(std::move(first));
  CurrentConfig::Ptr used = current.Get();
  current.Replace(std::make_shared<const DecisionConfig>(setup));
  EXPECT_NE(current.Get(), used);
  current.FreeUnused();
  EXPECT_FALSE(watched.expired());
  used.reset();
  EXPECT_FALSE(watched.expired());
  current.FreeUnused();
  EXPECT_TRUE(watched.expired());
}

// The first decision waits in its policy while that is replaced.
TEST_F(GatedClusterTest, ADecisionInProgressKeepsItsConfiguration) {
  auto first = AskAside(1, 1);
  policy_->WaitForBegun(1);
  gated_config_.Replace(std::make_shared<const DecisionConfig>(setup_));
  gated_config_.FreeUnused();
  policy_->LetThrough(1);
  const Reply decided = first.get();
  ASSERT_TRUE(decided.ok()) << decided.status();
  EXPECT_EQ(decided->policy(), "gated");
  EXPECT_EQ(AskGated(2, 1)->policy(), "first-fit");
}

}  // namespace
}  // namespace coolspan
