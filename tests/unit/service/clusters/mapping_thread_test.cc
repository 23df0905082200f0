// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/mapping_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace coolspan {
namespace {

TEST(MappingThreadTest, WorksInOrderAndEndsWithWhatWaits) {
  std::vector<int> done;
  {
    MappingThread thread;
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(thread.Add([&done, i] { done.push_back(i); }));
  }
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(MappingThreadTest, TooMuchIsRefused) {
  std::promise<void> begun;
  std::promise<void> go_on;
  std::size_t done = 0;
  {
    MappingThread thread;
    ASSERT_TRUE(thread.Add([&] {
      begun.set_value();
      go_on.get_future().wait();
    }));
    begun.get_future().wait();
    for (std::size_t i = 0; i < MappingThread::kMaxWaiting; ++i)
      ASSERT_TRUE(thread.Add([&done] { ++done; }));
    EXPECT_FALSE(thread.Add([&done] { ++done; }));
    go_on.set_value();
  }
  EXPECT_EQ(done, MappingThread::kMaxWaiting);
}

}  // namespace
}  // namespace coolspan
