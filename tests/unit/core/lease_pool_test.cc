// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lease_pool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using Pool = LeasePool<int>;

class LeasePoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<int> Make() { return std::make_unique<int>(++made_); }
  Pool::Lease TakeLast() {
    return pool_.Take(
        [](Pool::Idle idle) { return idle.empty() ? 0 : idle.size() - 1; },
        [this] { return Make(); });
  }

  int made_ = 0;
  Pool pool_;
};

TEST_F(LeasePoolTest, ReusesTheChosenObject) {
  {
    const Pool::Lease first = TakeLast();
    const Pool::Lease second = TakeLast();
    EXPECT_EQ(*first, 1);
    EXPECT_EQ(*second, 2);
  }  // 2 is returned before 1
  EXPECT_EQ(*TakeLast(), 1);
  EXPECT_EQ(*pool_.Take([](Pool::Idle idle) { return idle.size(); },
                        [this] { return Make(); }),
            3);
}

TEST_F(LeasePoolTest, DropsWhatHasBeenIdleForLongest) {
  {
    std::deque<Pool::Lease> leases;
    for (std::size_t i = 0; i <= Pool::kMaxIdle; ++i) {
      leases.push_back(TakeLast());
    }
    while (!leases.empty()) leases.pop_front();
  }
  std::vector<int> idle;
  pool_.Take(
      [&idle](Pool::Idle objects) {
        for (const auto& object : objects) idle.push_back(*object);
        return std::size_t{0};
      },
      [this] { return Make(); });
  EXPECT_EQ(idle, (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(LeasePoolTest, DoesNotWaitForAThreadThatChooses) {
  auto early = std::optional(TakeLast());
  std::promise<void> chooses;
  std::promise<void> may_end;
  std::thread other([&] {
    pool_.Take(
        [&](Pool::Idle idle) {
          chooses.set_value();
          may_end.get_future().wait();
          return idle.size();
        },
        [] { return std::make_unique<int>(100); });
  });
  chooses.get_future().wait();
  EXPECT_EQ(*TakeLast(), 2);
  early.reset();
  may_end.set_value();
  other.join();
  EXPECT_EQ(*TakeLast(), 100) << "1 and 2 were deleted";
}

}  // namespace
}  // namespace coolspan
