// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/call_slot.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(CallSlotTest, AtMostSoManyAreFree) {
  std::atomic<int> open = 0;
  {
    const CallSlot first(open, 2);
    const CallSlot second(open, 2);
    const CallSlot third(open, 2);
    EXPECT_TRUE(first.is_free());
    EXPECT_TRUE(second.is_free());
    EXPECT_FALSE(third.is_free());
  }
  EXPECT_TRUE(CallSlot(open, 1).is_free());
}

}  // namespace
}  // namespace coolspan
