// SPDX-License-Identifier: GPL-3.0-or-later
// SIGTERM ends the real daemon whatever it waits for.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "folders.h"
#include "integration/environment.h"
#include "integration/running_daemon.h"
#include "integration/wire_semantics_test.h"
#include "sanitized.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

v1::SyncRequest SyncWith(const std::string& hostlist) {
  v1::SyncRequest request = SyncOf();
  request.set_cluster("c");
  request.set_now_ms(kNowMs);
  request.set_client_id("q");
  request.set_hostlist(0, hostlist);
  return request;
}

v1::Event ReleaseOf(const std::string& epoch, std::uint64_t sequence) {
  v1::Event event;
  event.set_cluster("c");
  event.set_epoch(epoch);
  event.set_client_id("q");
  event.set_sequence(sequence);
  event.set_now_ms(kNowMs);
  event.mutable_job()->set_job_id(static_cast<std::uint32_t>(sequence));
  return event;
}

TEST(StopTest, EndsWithSuccess) {
  RunningDaemon daemon;
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
}

TEST(StopTest, EndsWhileTheDiskDoesNotAnswer) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's library must come first";
  const ScratchFolder folder;
  const std::string hung = folder.File("hung");
  const EnvironmentVariable file("COOLSPAN_HUNG_DISK", hung);
  RunningDaemon daemon({.preload = BinaryDir() / "tests/libhung_disk.so"});
  const auto stub = daemon.Connect();
  v1::SyncReply synced;
  {
    grpc::ClientContext context;
    const auto status = stub->Sync(&context, SyncWith("n[01-16]"), &synced);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  std::ofstream(hung).put('\n');
  std::vector<std::thread> calls;
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
    calls.emplace_back([&, sequence] {
      grpc::ClientContext context;
      v1::EventReply reply;
      EXPECT_FALSE(
          stub->Release(&context, ReleaseOf(synced.epoch(), sequence), &reply)
              .ok());
    });
  }
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 1) << "changes could not be stored";
  for (std::thread& call : calls) call.join();
  std::filesystem::remove(hung);
  daemon.Start();
  grpc::ClientContext context;
  v1::StatusReply status;
  ASSERT_TRUE(daemon.Connect()->Status(&context, {}, &status).ok());
  EXPECT_EQ(status.clusters_size(), 1) << "the Sync was acknowledged";
}

TEST(StopTest, EndsWhileItsStartWaitsForTheDisk) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's library must come first";
  const ScratchFolder folder;
  const std::string hung = folder.File("hung");
  const EnvironmentVariable file("COOLSPAN_HUNG_DISK", hung);
  RunningDaemon daemon({.preload = BinaryDir() / "tests/libhung_disk.so"});
  daemon.Signal(SIGKILL);
  std::ofstream(hung).put('\n');
  daemon.Launch();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
}

// Each search of exact takes seconds here.
TEST(StopTest, SessionsThatSearchAreCancelled) {
  RunningDaemon daemon(
      {.machine_file = SourceDir() / "config/machines/torus-8x8x8.yaml"});
  const auto stub = daemon.Connect();
  constexpr int kSessions = 8;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<
      grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionReply>>>
      streams;
  for (int i = 0; i < kSessions; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub->Session(contexts.back().get()));
    v1::SessionRequest request;
    *request.mutable_sync() = SyncWith("n[0001-1024]");
    request.mutable_sync()->mutable_capacity(0)->set_nodes(1024);
    request.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
    request.mutable_sync()->set_policy("exact");
    v1::SessionReply reply;
    ASSERT_TRUE(streams.back()->Write(request));
    ASSERT_TRUE(streams.back()->Read(&reply));
    ASSERT_TRUE(reply.has_sync()) << reply.error().message();
    for (std::uint32_t job = 1; job <= 20; ++job) {
      v1::SessionRequest ask;
      v1::AllocateRequest& allocate = *ask.mutable_allocate();
      allocate.set_epoch(reply.sync().epoch());
      allocate.mutable_job()->set_job_id(job);
      allocate.set_attempt(1);
      allocate.set_now_ms(kNowMs);
      allocate.set_min_nodes(20);
      allocate.set_whole(true);
      allocate.set_client_id("q");
      ASSERT_TRUE(streams.back()->Write(ask));
    }
  }
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0) << "the searches have not ended in time";
  for (const auto& stream : streams) {
    v1::SessionReply reply;
    while (stream->Read(&reply)) continue;
    EXPECT_FALSE(stream->Finish().ok());
  }
}

// Nobody writes to the pipe from which the ordering is read.
TEST(StopTest, EndsDuringAReload) {
  RunningDaemon daemon;
  const ScratchFolder folder;
  const std::string pipe = folder.File("ranks");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string config;
  {
    std::ifstream in(daemon.config_file());
    config.assign(std::istreambuf_iterator<char>(in), {});
  }
  config.replace(config.find("ordering: row-major"),
                 std::string("ordering: row-major").size(),
                 "ordering: \"file:" + pipe + "\"");
  std::ofstream(daemon.config_file()) << config;
  daemon.Signal(SIGHUP);
  // Opens once the daemon reads; what it reads never ends.
  int writer = -1;
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (writer < 0 && std::chrono::steady_clock::now() < until) {
    writer = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_GE(writer, 0);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 1);
  close(writer);
}

}  // namespace
}  // namespace coolspan
