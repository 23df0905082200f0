// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/idle_priority.h"

#include <gtest/gtest.h>
#include <sched.h>

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

}  // namespace
}  // namespace coolspan
