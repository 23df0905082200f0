// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/records.h"

#include <gtest/gtest.h>

#include "mesh_machine.h"

namespace coolspan {
namespace {

TEST(RecordsTest, StoredHoldingsAreComplete) {
  const auto machine = MeshMachine(FlatGrid({4, 2}));
  Holding holding;
  holding.job = {7, 2};
  holding.attempt = 3;
  holding.committed = true;
  holding.whole = false;
  holding.suspended = true;
  holding.disputed = true;
  holding.nodes = {1, 4};
  holding.units = {2, 1};
  holding.contested = {5};
  holding.communication_share = 0.25F;
  holding.decision_id = "7.2.3";
  const auto back = FromStored(*machine, ToStored(*machine, holding));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, holding);
  holding.communication_share.reset();
  EXPECT_EQ(**FromStored(*machine, ToStored(*machine, holding)), holding);
}

TEST(RecordsTest, StateOfAHolding) {
  Holding holding;
  EXPECT_STREQ(StateOf(holding), "tentative");
  holding.committed = true;
  EXPECT_STREQ(StateOf(holding), "committed");
  holding.disputed = true;
  EXPECT_STREQ(StateOf(holding), "disputed");
  holding.suspended = true;
  EXPECT_STREQ(StateOf(holding), "suspended") << "it holds nothing";
}

}  // namespace
}  // namespace coolspan
