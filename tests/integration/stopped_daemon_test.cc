// SPDX-License-Identifier: GPL-3.0-or-later
// The client of the plugin with a real daemon that is stopped and continued.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "client/client.h"
#include "integration/running_daemon.h"
#include "integration/wire_semantics_test.h"

namespace coolspan {
namespace {

TEST(StoppedDaemonTest, DelaysAtMostThreeCallsAndIsUsedAgain) {
  RunningDaemon daemon;
  ClientOptions options;
  options.address = daemon.endpoint();
  options.cluster = "real";
  options.deadline = std::chrono::milliseconds(500);
  const auto client = AllocatorClient::Create(options);
  ASSERT_TRUE(client.ok()) << client.status();
  const auto allocate = [&](std::uint32_t job) {
    v1::AllocateRequest request;
    request.mutable_job()->set_job_id(job);
    request.set_min_nodes(1);
    request.set_whole(true);
    return (*client)->Allocate(request);
  };
  (*client)->Sync(SyncOf());
  const auto first = allocate(1);
  ASSERT_TRUE(first.ok()) << first.status();

  daemon.Signal(SIGSTOP);
  for (std::uint32_t job = 2; job <= 101; ++job)
    EXPECT_FALSE(allocate(job).ok());
  const std::uint64_t delayed = (*client)->Counters().deadlines_exceeded;
  EXPECT_LE(delayed, 3u);
  daemon.Signal(SIGCONT);
  const auto timeout =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool answered = false;
  for (std::uint32_t job = 200;
       !answered && std::chrono::steady_clock::now() < timeout; ++job) {
    answered = allocate(job).ok();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(answered);
  EXPECT_EQ((*client)->Counters().deadlines_exceeded, delayed);
}

}  // namespace
}  // namespace coolspan
