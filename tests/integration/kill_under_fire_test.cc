// SPDX-License-Identifier: GPL-3.0-or-later
// A daemon is killed at random points while clients allocate, commit and
// release. After each restart its ledger must agree with what the clients were
// told: no answer and no acknowledged event is lost, no node is given twice.
// COOLSPAN_KILLS: how often it is killed, if not 50 times.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "folders.h"
#include "integration/running_daemon.h"
#include "integration/told_jobs.h"
#include "sanitized.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kClients = 4;

int Kills() {
  const char* const kills = std::getenv("COOLSPAN_KILLS");
  return kills == nullptr ? 50 : std::atoi(kills);
}

std::string Sync(v1::Allocator::Stub& stub) {
  v1::SyncRequest request;
  request.set_cluster("c");
  request.set_now_ms(NowMs());
  request.add_hostlist("n[01-16]");
  request.set_client_id("q");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(10));
  v1::SyncReply reply;
  const grpc::Status status = stub.Sync(&context, request, &reply);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return reply.epoch();
}

class KillTest : public testing::Test {
 protected:
  // The clients of one cluster.
  void Begin(const RunningDaemon& daemon) {
    epoch_ = Sync(*daemon.Connect());
    for (std::uint32_t i = 1; i <= kClients; ++i) {
      clients_.emplace_back(i, told_);
    }
  }

  // Lets the clients work until each had a failure.
  void RunClients(const RunningDaemon& daemon) {
    std::vector<std::thread> threads;
    for (ToldClient& client : clients_) {
      threads.emplace_back([this, &client, &daemon] {
        const auto stub = daemon.Connect();
        const grpc::Status status = client.RunUntilFailure(*stub, epoch_);
        EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE)
            << status.error_message();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void KillOften(RunningDaemon& daemon, int kills,
                 std::chrono::milliseconds max_pause) {
    std::mt19937 random(7);
    for (int round = 0; round < kills && !HasFailure(); ++round) {
      std::thread killer([&daemon, pause = std::chrono::microseconds(
                                       random() % (1000 * max_pause.count()))] {
        std::this_thread::sleep_for(pause);
        daemon.Signal(SIGKILL);
      });
      RunClients(daemon);
      killer.join();
      daemon.Start();
      told_.CheckLedger(*daemon.Connect());
    }
  }

  // All jobs end, and nothing is left.
  void End(const RunningDaemon& daemon) {
    const auto stub = daemon.Connect();
    for (ToldClient& client : clients_) client.Finish(*stub, epoch_);
    told_.CheckLedger(*stub);
    RecordProperty("answers", static_cast<int>(told_.answers()));
    RecordProperty("acknowledged", static_cast<int>(told_.acknowledged()));
  }

  ToldJobs told_;
  std::vector<ToldClient> clients_;
  std::string epoch_;
};

TEST_F(KillTest, NothingThatClientsWereToldIsLost) {
  RunningDaemon daemon;
  Begin(daemon);
  const int kills = Kills();
  KillOften(daemon, kills, std::chrono::milliseconds(60));
  End(daemon);
  EXPECT_GT(told_.answers(), (kSanitized ? 1U : 4U) * kills)
      << "too few answers";
  EXPECT_GT(told_.acknowledged(), (kSanitized ? 1U : 4U) * kills)
      << "too few events";
}

TEST_F(KillTest, NorWithADiskThatSyncsSlowly) {
  RunningDaemon daemon({.preload = BinaryDir() / "tests/libslow_fdatasync.so"});
  Begin(daemon);
  KillOften(daemon, 10, std::chrono::milliseconds(500));
  End(daemon);
  EXPECT_GT(told_.answers(), 40U) << "too few answers";
}

// A small file system, in a mount namespace that ends with the test.
class FullDiskTest : public KillTest {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("coolspan-full-disk-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    const bool is_mounted =
        unshare(CLONE_NEWNS) == 0 &&
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=16m") == 0;
    if (!is_mounted) GTEST_SKIP() << "mounting a tmpfs needs root";
  }
  void TearDown() override {
    umount(folder_.c_str());
    fs::remove_all(folder_);
  }

  // Leaves what a few hundred calls write.
  void Fill() {
    const fs::space_info space = fs::space(folder_);
    constexpr std::uintmax_t kLeft = 512 * 1024;
    if (space.available <= kLeft) return;
    const int file = open(Filler().c_str(), O_CREAT | O_WRONLY, 0600);
    ASSERT_GE(file, 0);
    EXPECT_EQ(
        posix_fallocate(file, 0, static_cast<off_t>(space.available - kLeft)),
        0);
    close(file);
  }
  // Until a part of the history is dropped.
  static void WaitUntilFull(const RunningDaemon& daemon) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::minutes(1);
    v1::StatusReply status;
    while (status.state().archive_dropped() == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "never full";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      grpc::ClientContext context;
      EXPECT_TRUE(daemon.Connect()->Status(&context, {}, &status).ok());
    }
  }
  fs::path Filler() const { return folder_ / "filler"; }

  fs::path folder_;
};

// The ledger has its space from the start; the archive has not.
TEST_F(FullDiskTest, NothingThatClientsWereToldIsLost) {
  RunningDaemon daemon({.state_folder = folder_});
  Begin(daemon);
  for (int round = 0; round < 3 && !HasFailure(); ++round) {
    Fill();
    std::thread killer([&daemon] {
      WaitUntilFull(daemon);
      daemon.Signal(SIGKILL);
    });
    RunClients(daemon);
    killer.join();
    fs::remove(Filler());
    daemon.Start();
    told_.CheckLedger(*daemon.Connect());
  }
  End(daemon);
}

}  // namespace
}  // namespace coolspan
