// SPDX-License-Identifier: GPL-3.0-or-later
// coolspan load with a real daemon.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "folders.h"
#include "integration/running_daemon.h"
#include "service/owned_descriptor.h"

extern char** environ;

namespace coolspan {
namespace {

using testing::HasSubstr;

struct Ended {
  int exit = -1;
  std::string output;
};

// A run of coolspan load, from its start to its end.
class LoadRun {
 public:
  LoadRun(const RunningDaemon& daemon, const std::string& options) {
    // exec: the shell becomes the program, so that pid_ is the program's.
    std::string script = "exec " + (BinaryDir() / "bin/coolspan").string() +
                         " load --endpoint " + daemon.endpoint() +
                         " --machine " + daemon.machine_file() + " " + options;
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    output_ = OwnedDescriptor(ends[0]);
    const OwnedDescriptor written(ends[1]);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, written.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, written.get(), STDERR_FILENO);
    std::string shell = "/bin/sh";
    std::string option = "-c";
    std::array<char*, 4> words = {shell.data(), option.data(), script.data(),
                                  nullptr};
    EXPECT_EQ(posix_spawn(&pid_, shell.c_str(), &files, nullptr, words.data(),
                          environ),
              0);
    posix_spawn_file_actions_destroy(&files);
  }

  void Interrupt() const {
    ASSERT_GT(pid_, 0);
    kill(pid_, SIGINT);
  }

  // Waits for the end; both outputs.
  Ended Wait() {
    Ended ended;
    std::array<char, 4096> text{};
    for (ssize_t read_bytes = read(output_.get(), text.data(), text.size());
         read_bytes > 0;
         read_bytes = read(output_.get(), text.data(), text.size())) {
      ended.output.append(text.data(), static_cast<std::size_t>(read_bytes));
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    ended.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return ended;
  }

 private:
  OwnedDescriptor output_;
  pid_t pid_ = -1;
};

Ended Load(const RunningDaemon& daemon, const std::string& options) {
  return LoadRun(daemon, options).Wait();
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
  LoadRun run(daemon, "--jobs 10000000 --concurrency 4 --nodes 1");
  // Once the cluster exists.
  while (StatusOf(daemon).clusters_size() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  run.Interrupt();
  const Ended ended = run.Wait();
  EXPECT_EQ(ended.exit, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("coolspan load: interrupted"));
  EXPECT_EQ(StatusOf(daemon).clusters_size(), 0);
}

TEST(LoadCommandTest, GoesOnWhenTheDaemonRestarts) {
  RunningDaemon daemon;
  std::thread killer([&daemon] {
    // Once the first calls have succeeded.
    v1::StatusReply status;
    while (status.clusters_size() == 0 ||
           status.clusters(0).jobs_committed() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      status = StatusOf(daemon);
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
