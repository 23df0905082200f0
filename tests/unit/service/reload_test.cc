// SPDX-License-Identifier: GPL-3.0-or-later
// A running daemon reads its daemon file again.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReloadTest : public ServingTest {
 protected:
  ReloadTest() {
    std::ofstream(folder_.File("m.yaml"))
        << "name: small\ntopology: {kind: mesh, dims: [8]}\n"
           "nodes: \"n[1-8]\"\n";
    Write("policy: first-fit\n");
    auto setup = LoadDaemonFile(path_);
    EXPECT_TRUE(setup.ok()) << setup.status();
    Serve(*setup);
    Sync();
  }
  // The daemon file, with these lines at its end.
  void Write(const std::string& lines) const {
    std::ofstream(path_) << "listen: unix://" << folder_.File("s.sock")
                         << "\nmachine: m.yaml\nordering: row-major\n"
                            "state: {sqlite: state.db}\n"
                         << lines;
  }
  void WriteWithLog(const std::string& lines, const std::string& log) const {
    Write(lines + "log: {file: " + log + "}\n");
  }
  v1::ReloadReply Reload() { return Good(&Stub::Reload, v1::ReloadRequest()); }
  grpc::Status RefusedReload() {
    v1::ReloadReply reply;
    const grpc::Status status = Call(&Stub::Reload, v1::ReloadRequest(), reply);
    EXPECT_FALSE(status.ok());
    return status;
  }
  v1::ConfigStatus Config() {
    return Good(&Stub::Status, v1::StatusRequest()).config();
  }
  std::string PolicyOf(std::uint32_t job_id, const std::string& partition) {
    v1::AllocateRequest request = AskFor(epoch_, job_id, 1);
    request.set_partition(partition);
    return Allocate(request).policy();
  }
  std::vector<nlohmann::json> LogLines(const std::string& name) const {
    std::ifstream in(folder_.File(name));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
  }

  const std::string path_ = folder_.File("d.yaml");
};

TEST_F(ReloadTest, RulesAndPoliciesAreReplaced) {
  EXPECT_EQ(PolicyOf(1, "a"), "first-fit");
  Write("policy: free-list\nrules: [{partition: a, policy: best-fit}]\n");
  std::vector<std::string> changes;
  const v1::ReloadReply reply = Reload();
  for (const v1::OptionChange& change : reply.changes()) {
    changes.push_back(change.option() + " " + change.before() + " " +
                      change.after());
  }
  EXPECT_THAT(changes, ElementsAre("policy first-fit free-list",
                                   "rules[1].partition default [a]",
                                   "rules[1].policy default best-fit"));
  EXPECT_EQ(PolicyOf(2, "a"), "best-fit");
  EXPECT_EQ(PolicyOf(3, "b"), "free-list");
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).policy(), "free-list");
  // What has not been released is still held.
  EXPECT_EQ(Ledger(), "1 tentative n1; 2 tentative n2; 3 tentative n3");
}

TEST_F(ReloadTest, StatusTellsOfTheLastReload) {
  const v1::ConfigStatus started = Config();
  EXPECT_EQ(started.file(), path_);
  EXPECT_GT(started.loaded_ms(), 0);
  EXPECT_EQ(started.reload_ms(), 0);
  Write("policy: none-such\n");
  RefusedReload();
  const v1::ConfigStatus refused = Config();
  EXPECT_EQ(refused.loaded_ms(), started.loaded_ms());
  EXPECT_GT(refused.reload_ms(), 0);
  EXPECT_THAT(refused.error(), HasSubstr("5:9: policy: "));
  Write("policy: best-fit\n");
  Reload();
  EXPECT_EQ(Config().error(), "");
  EXPECT_EQ(Config().loaded_ms(), Config().reload_ms());
}

TEST_F(ReloadTest, ClustersExpireByTheNewTime) {
  ASSERT_EQ(Good(&Stub::Status, v1::StatusRequest()).clusters_size(), 1);
  Write("policy: best-fit\ncluster_expiry_days: 1e-6\n");
  Reload();
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (Good(&Stub::Status, v1::StatusRequest()).clusters_size() != 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "not removed";
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// The rule is valid, what follows it is not: neither applies.
TEST_F(ReloadTest, AfterAnErrorNothingHasChanged) {
  Write("policy: best-fit\ndeadline_ms: 7\nretention_days: many\n");
  const grpc::Status status = RefusedReload();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr(path_ + ":7:17: retention_days: "));
  EXPECT_EQ(PolicyOf(1, "a"), "first-fit");
  // No folder can be made in a file.
  WriteWithLog("policy: best-fit\n", folder_.File("m.yaml") + "/log");
  const grpc::Status log = RefusedReload();
  EXPECT_EQ(log.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(log.error_message(), HasSubstr(path_ + ": log.file: "));
  EXPECT_EQ(PolicyOf(2, "a"), "first-fit");
}

TEST_F(ReloadTest, WhatNeedsARestartIsRefused) {
  Write("policy: best-fit\n");
  std::ofstream(path_, std::ios::app) << "latency_matrix: none-such\n";
  EXPECT_EQ(RefusedReload().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  std::ofstream(folder_.File("m.yaml"))
      << "name: small\ntopology: {kind: mesh, dims: [4, 2]}\n"
         "nodes: \"n[1-8]\"\n";
  Write("policy: best-fit\n");
  const grpc::Status status = RefusedReload();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("machine: "));
  EXPECT_EQ(PolicyOf(1, "a"), "first-fit");
}

// Opening one would wait for another process, and later reloads for this one.
TEST_F(ReloadTest, FifosAreRefused) {
  const std::string fifo = folder_.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  WriteWithLog("policy: first-fit\n", fifo);
  EXPECT_THAT(RefusedReload().error_message(),
              HasSubstr("log.file: " + fifo + " is a FIFO"));
  std::filesystem::rename(fifo, path_);
  EXPECT_THAT(RefusedReload().error_message(),
              HasSubstr(path_ + ": is a FIFO"));
  std::filesystem::remove(path_);
  Write("policy: best-fit\n");
  Reload();
}

TEST_F(ReloadTest, TheLogMovesAndItsLevelChanges) {
  WriteWithLog("policy: first-fit\n", "other.txt, level: warning");
  Reload();
  Allocate(AskFor(epoch_, 1, 1));
  Explain(1);  // waits until it would be logged
  WriteWithLog("policy: first-fit\n", "other.txt, level: info");
  Reload();
  Allocate(AskFor(epoch_, 2, 1));
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  std::vector<std::string> events;
  for (const auto& line : LogLines("other.txt"))
    events.push_back(line["event"]);
  EXPECT_THAT(events, ElementsAre("reload", "decision", "stop"));
}

TEST_F(ReloadTest, ASignalReloadsToo) {
  WriteWithLog("policy: best-fit\n", "log.txt");
  Reload();
  WriteWithLog("policy: mm\n", "log.txt");
  std::filesystem::rename(folder_.File("log.txt"), folder_.File("log.1"));
  daemon_->RequestReload();
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (Good(&Stub::Status, v1::StatusRequest()).policy() != "mm" &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  const auto lines = LogLines("log.txt");
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0]["event"], "reload");
  EXPECT_EQ(lines[0]["changes"][0], "policy: mm (was best-fit)");
}

// The file of the ordering is a pipe that nobody writes yet.
TEST_F(ReloadTest, DecisionsDoNotWaitForAReload) {
  const std::string pipe = folder_.File("ranks");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(path_) << "listen: unix://" << folder_.File("s.sock")
                       << "\nmachine: m.yaml\nordering: \"file:" << pipe
                       << "\"\nstate: {sqlite: state.db}\npolicy: best-fit\n";
  auto reload = std::async(std::launch::async, [this] {
    v1::ReloadReply reply;
    return Call(&Stub::Reload, v1::ReloadRequest(), reply, 60'000);
  });
  // Returns when the reload has opened the pipe.
  const int writer = open(pipe.c_str(), O_WRONLY);
  ASSERT_GE(writer, 0);
  for (std::uint32_t job = 1; job <= 7; ++job) {
    EXPECT_EQ(PolicyOf(job, "a"), "first-fit");
  }
  EXPECT_EQ(Config().reload_ms(), 0);
  const std::string names = "n8,n7,n6,n5,n4,n3,n2,n1\n";
  EXPECT_EQ(write(writer, names.data(), names.size()),
            static_cast<ssize_t>(names.size()));
  close(writer);
  const grpc::Status status = reload.get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(PolicyOf(8, "a"), "best-fit");
}

TEST_F(ReloadTest, ASessionKeepsItsConfiguration) {
  grpc::ClientContext context;
  const auto stream = stub_->Session(&context);
  v1::SessionRequest request;
  *request.mutable_sync() = SmallSync();
  request.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
  v1::SessionReply reply;
  ASSERT_TRUE(stream->Write(request) && stream->Read(&reply));
  Write("policy: best-fit\n");
  Reload();
  // A Sync takes the default policy anew.
  request.mutable_sync()->set_client_id("q2");
  ASSERT_TRUE(stream->Write(request) && stream->Read(&reply));
  v1::SessionRequest ask;
  *ask.mutable_allocate() = AskFor(reply.sync().epoch(), 1, 1);
  ask.mutable_allocate()->set_client_id("q2");
  ASSERT_TRUE(stream->Write(ask) && stream->Read(&reply));
  EXPECT_EQ(reply.allocate().policy(), "first-fit");
}

}  // namespace
}  // namespace coolspan
