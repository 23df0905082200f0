// SPDX-License-Identifier: GPL-3.0-or-later
// coolspan load with a real daemon.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "folders.h"
#include "integration/running_daemon.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

struct Ended {
  int exit = -1;
  std::string output;
};

// Runs coolspan load; both outputs.
Ended Load(const RunningDaemon& daemon, const std::string& options) {
  const std::string command = (BinaryDir() / "bin/coolspan").string() +
                              " load --endpoint " + daemon.endpoint() +
                              " --machine " + daemon.machine_file() + " " +
                              options + " 2>&1";
  Ended ended;
  FILE* const pipe = popen(command.c_str(), "r");
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) {
    ended.output += static_cast<char>(c);
  }
  const int status = pclose(pipe);
  ended.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ended;
}

v1::StatusReply StatusOf(const RunningDaemon& daemon) {
  grpc::ClientContext context;
  v1::StatusReply reply;
  EXPECT_TRUE(daemon.Connect()->Status(&context, {}, &reply).ok());
  return reply;
}

TEST(LoadCommandTest, ManyAtATimeOnAFullMachineHoldNothingTwice) {
  RunningDaemon daemon;
  const Ended ended =
      Load(daemon, "--jobs 500 --concurrency 32 --free 0 --nodes 1-4 --json");
  EXPECT_EQ(ended.exit, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(R"("placed":500)"));
  EXPECT_THAT(ended.output, HasSubstr(R"("held_twice":0)"));
  EXPECT_EQ(StatusOf(daemon).clusters_size(), 0);
}

TEST(LoadCommandTest, SharedNodesOverSeveralConnections) {
  RunningDaemon daemon;
  const Ended ended = Load(
      daemon, "--jobs 300 --concurrency 8 --connections 4 --shared --json");
  EXPECT_EQ(ended.exit, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(R"("ledger_differs":0)"));
}

TEST(LoadCommandTest, AnInterruptEndsItAndLeavesNoTrace) {
  RunningDaemon daemon;
  std::thread interrupter([&daemon] {
    // Once the cluster exists.
    while (StatusOf(daemon).clusters_size() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const std::string name = StatusOf(daemon).clusters(0).name();
    kill(std::stoi(name.substr(name.rfind('-') + 1)), SIGINT);
  });
  const Ended ended = Load(daemon, "--jobs 10000000 --concurrency 4 --nodes 1");
  interrupter.join();
  EXPECT_EQ(ended.exit, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("coolspan load: interrupted"));
  EXPECT_EQ(StatusOf(daemon).clusters_size(), 0);
}

TEST(LoadCommandTest, GoesOnWhenTheDaemonRestarts) {
  RunningDaemon daemon;
  std::thread killer([&daemon] {
    while (StatusOf(daemon).clusters_size() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    daemon.Signal(SIGKILL);
    daemon.Start();
  });
  const Ended ended =
      Load(daemon, "--jobs 2000 --concurrency 4 --nodes 1-3 --json");
  killer.join();
  // Calls failed, but nothing else is wrong.
  EXPECT_THAT(ended.output, HasSubstr(R"("placed":2000)"));
  EXPECT_THAT(ended.output, HasSubstr(R"("held_twice":0)"));
  EXPECT_THAT(ended.output, HasSubstr(R"("ledger_differs":0)"));
  EXPECT_THAT(ended.output, HasSubstr(R"("left_over":0)"));
}

TEST(LoadCommandTest, ClientsThatDoNotReadDelayNobody) {
  RunningDaemon daemon;
  constexpr int kWatchers = 8;
  const auto stub = daemon.Connect();
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::Happening>>> streams;
  for (int i = 0; i < kWatchers; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub->Watch(contexts.back().get(), {}));
    streams.back()->WaitForInitialMetadata();
  }
  const Ended ended = Load(daemon, "--jobs 3000 --concurrency 8 --json");
  EXPECT_EQ(ended.exit, 0) << ended.output;
  for (const auto& context : contexts) context->TryCancel();
  for (const auto& stream : streams) stream->Finish();
}

TEST(LoadCommandTest, NothingIsLostWhileTheClockOfTheHostJumps) {
  RunningDaemon daemon({.preload = BinaryDir() / "tests/libjumping_clock.so"});
  // Calls whose deadline seems to have passed are repeated.
  const Ended ended =
      Load(daemon, "--jobs 3000 --concurrency 8 --nodes 1-3 --json");
  for (const char* expected : {R"("placed":3000)", R"("held_twice":0)",
                               R"("ledger_differs":0)", R"("left_over":0)"}) {
    EXPECT_THAT(ended.output, HasSubstr(expected));
  }
}

TEST(LoadCommandTest, WithoutADaemonIsUnreachable) {
  RunningDaemon daemon;
  daemon.Signal(SIGKILL);
  EXPECT_EQ(Load(daemon, "--jobs 1").exit, 3);
}

}  // namespace
}  // namespace coolspan
