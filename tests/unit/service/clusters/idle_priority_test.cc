// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/idle_priority.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <new>
#include <thread>

namespace coolspan {
namespace {

TEST(RunAtIdlePriorityTest, WorkAndItsThreadsAreIdleAndTheCallerIsNot) {
  const int before = sched_getscheduler(0);
  int of_work = -1;
  int of_thread = -1;
  RunAtIdlePriority([&] {
    of_work = sched_getscheduler(0);
    std::thread([&] { of_thread = sched_getscheduler(0); }).join();
  });
  EXPECT_EQ(of_work, SCHED_IDLE);
  EXPECT_EQ(of_thread, SCHED_IDLE);
  EXPECT_EQ(sched_getscheduler(0), before);
}

TEST(RunAtIdlePriorityTest, ThrowsWhatTheWorkThrows) {
  EXPECT_THROW(RunAtIdlePriority([] { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(RunAtIdlePriorityTest, LeavesHalfOfTheCoresToOthers) {
  const auto cores = [] {
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    return CPU_COUNT(&set);
  };
  const int all = cores();
  int of_work = 0;
  RunAtIdlePriority([&] { of_work = cores(); });
  EXPECT_EQ(of_work, std::max(1, all / 2));
  EXPECT_EQ(cores(), all);
}

}  // namespace
}  // namespace coolspan
