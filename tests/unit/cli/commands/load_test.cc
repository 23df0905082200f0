// SPDX-License-Identifier: GPL-3.0-or-later
// coolspan load: its options, its book, and its checks with a daemon that
// answers wrongly. With a real daemon: tests/integration/load_command_test.cc.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>

#include "cli/commands/load_book.h"
#include "cli/commands/load_sizes.h"
#include "config/machine/machine_file.h"
#include "coolspan/v1/allocator.grpc.pb.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LoadBookTest, WholeNodesAreHeldOnce) {
  LoadBook book(8, 1);
  EXPECT_TRUE(book.Take(1, {0, 1, 2}));
  EXPECT_TRUE(book.Take(2, {3}));
  EXPECT_FALSE(book.Take(3, {4, 2}));
  EXPECT_EQ(book.busy(), 6U);
  book.Give(3);
  book.Give(1);
  EXPECT_TRUE(book.Take(4, {0, 2}));
  EXPECT_EQ(book.busy(), 3U);
  EXPECT_EQ(book.total(), 8U);
}

TEST(LoadBookTest, ANewAnswerToAJobReplacesTheOneBefore) {
  LoadBook book(4, 1);
  EXPECT_TRUE(book.Take(1, {0, 1}));
  EXPECT_TRUE(book.Take(1, {1, 2}));
  EXPECT_THAT(book.jobs().at(1), ElementsAre(1, 2));
  EXPECT_TRUE(book.Take(2, {0}));
}

TEST(LoadBookTest, SharedNodesAreHeldUpToTheirUnits) {
  LoadBook book(2, 2);
  EXPECT_TRUE(book.Take(1, {0}));
  EXPECT_TRUE(book.Take(2, {0, 1}));
  EXPECT_FALSE(book.Take(3, {0}));
  EXPECT_EQ(book.total(), 4U);
}

TEST(LoadBookTest, ReadsBitmaps) {
  EXPECT_THAT(NodesOfBitmap(std::string("\x81\x00\x02", 3)),
              ElementsAre(0, 7, 17));
  EXPECT_THAT(NodesOfBitmap(""), ElementsAre());
}

TEST(LoadBookTest, ReasonsAreCountedWithoutTheirNumbers) {
  EXPECT_EQ(WithoutNumbers("12 nodes, 3 free of 1000"), "N nodes, N free of N");
}

TEST(LoadSizesTest, DrawsFromTheRange) {
  std::mt19937_64 random(1);
  const auto some = LoadSizes::Parse("2-4", 16);
  ASSERT_TRUE(some.ok());
  std::set<NodeCount> drawn;
  for (int i = 0; i < 200; ++i) drawn.insert(some->Draw(random));
  EXPECT_THAT(drawn, ElementsAre(2, 3, 4));
  EXPECT_EQ(LoadSizes::Parse("5", 16)->Draw(random), 5U);
}

TEST(LoadSizesTest, LogarithmicSizesAreMostlySmall) {
  std::mt19937_64 random(1);
  const auto sizes = LoadSizes::Parse("log:1-64", 64);
  ASSERT_TRUE(sizes.ok());
  int small = 0;
  for (int i = 0; i < 1000; ++i) {
    const NodeCount size = sizes->Draw(random);
    ASSERT_GE(size, 1U);
    ASSERT_LE(size, 64U);
    if (size < 8) ++small;
  }
  EXPECT_GT(small, 400);
  EXPECT_LT(small, 600);
}

TEST(LoadSizesTest, RefusesWhatIsNoRange) {
  for (const char* text :
       {"0", "", "4-2", "1-17", "log:4", "log:0-3", "1-", "x", "1-2-3"}) {
    EXPECT_FALSE(LoadSizes::Parse(text, 16).ok()) << text;
  }
  EXPECT_THAT(std::string(LoadSizes::Parse("17", 16).status().message()),
              HasSubstr("expected K, A-B or log:A-B, from 1 to the 16 nodes"));
}

// Gives every job the same nodes, or too many of them, or refuses.
class WrongDaemon final : public v1::Allocator::Service {
 public:
  grpc::Status Status(grpc::ServerContext*, const v1::StatusRequest*,
                      v1::StatusReply* reply) override {
    reply->set_machine_fingerprint(fingerprint);
    if (!in_contact.empty()) {
      reply->add_clusters()->set_name(in_contact);
      reply->mutable_clusters(0)->set_contact_age_ms(1);
    }
    return grpc::Status::OK;
  }
  grpc::Status Sync(grpc::ServerContext*, const v1::SyncRequest* request,
                    v1::SyncReply* reply) override {
    cluster = request->cluster();
    reply->set_epoch("e");
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext*, const v1::AllocateRequest*,
                        v1::AllocateReply* reply) override {
    if (failures-- > 0) return {grpc::StatusCode::UNAVAILABLE, "busy 1"};
    if (refusals-- > 0) {
      reply->set_reason("needs 1 node, 0 free");
      return grpc::Status::OK;
    }
    reply->set_placed(true);
    reply->set_nodes(nodes);
    return grpc::Status::OK;
  }
  grpc::Status Commit(grpc::ServerContext*, const v1::Event*,
                      v1::EventReply*) override {
    return grpc::Status::OK;
  }
  grpc::Status Release(grpc::ServerContext*, const v1::Event*,
                       v1::EventReply*) override {
    return grpc::Status::OK;
  }
  grpc::Status Jobs(grpc::ServerContext*, const v1::JobsRequest*,
                    v1::JobsReply* reply) override {
    if (has_phantom) {
      reply->add_jobs()->mutable_job()->set_job_id(1'000'000);
    }
    return grpc::Status::OK;
  }
  grpc::Status RemoveCluster(grpc::ServerContext*,
                             const v1::RemoveClusterRequest* request,
                             v1::RemoveClusterReply*) override {
    if (!may_remove) {
      return {grpc::StatusCode::PERMISSION_DENIED, "needs the role operator"};
    }
    removed = request->cluster();
    return grpc::Status::OK;
  }

  std::uint64_t fingerprint = 0;
  std::string nodes = std::string("\x01\x00", 2);
  std::atomic<int> failures = 0;
  std::atomic<int> refusals = 0;
  bool has_phantom = false;
  bool may_remove = true;
  std::string in_contact;  // a cluster
  std::string cluster;
  std::string removed;
};

class LoadTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    machine_ = WriteMesh("4, 4", "n[01-16]");
    daemon_.fingerprint = (*LoadMachineFile(machine_))->Fingerprint();
    const std::string socket = "unix://" + (folder_ / "d").string();
    grpc::ServerBuilder builder;
    builder.AddListeningPort(socket, grpc::InsecureServerCredentials());
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
    endpoint_ = socket;
  }
  void TearDown() override {
    server_->Shutdown();
    CliTest::TearDown();
  }
  CliResult Load(std::vector<std::string> more, const char* free = "1") {
    std::vector<std::string> arguments = {
        "load", "--endpoint", endpoint_, "--machine", machine_, "--free", free};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCli(arguments);
  }

  WrongDaemon daemon_;
  std::string machine_;
  std::string endpoint_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(LoadTest, OneJobAtATimeMayHaveTheSameNodeEachTime) {
  const CliResult result = Load({"--jobs", "20", "--nodes", "1", "--json"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  const auto json = result.Json();
  EXPECT_EQ(json["placed"], 20);
  EXPECT_EQ(json["calls"]["allocate"]["calls"], 20);
  EXPECT_EQ(json["calls"]["commit"]["calls"], 20);
  EXPECT_GT(json["calls"]["release"]["p999_us"], 0);
  EXPECT_THAT(daemon_.cluster, testing::StartsWith("coolspan-load-"));
  EXPECT_EQ(daemon_.removed, daemon_.cluster);
}

TEST_F(LoadTest, WithoutTheRoleItsResultIsReported) {
  daemon_.may_remove = false;
  const CliResult result = Load({"--jobs", "20", "--nodes", "1", "--json"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_EQ(result.Json()["placed"], 20);
  EXPECT_EQ(result.Json()["not_removed"],
            "cluster " + daemon_.cluster +
                " remains in the daemon: needs the role operator");
}

TEST_F(LoadTest, OneAtATimeOfAUser) {
  daemon_.in_contact = "coolspan-load-" + std::to_string(getuid());
  const CliResult result = Load({"--jobs", "20", "--nodes", "1"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_THAT(result.err, HasSubstr("another load test of this user runs"));
}

TEST_F(LoadTest, ANodeHeldTwiceIsReported) {
  const CliResult result =
      Load({"--jobs", "20", "--nodes", "1", "--json"}, "0");
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_GT(result.Json()["held_twice"], 0);
  EXPECT_THAT(result.err, HasSubstr("a node that other jobs hold"));
}

TEST_F(LoadTest, AWrongNumberOfNodesIsReported) {
  daemon_.nodes = std::string("\x03\x00", 2);
  const CliResult result = Load({"--jobs", "2", "--nodes", "1", "--json"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_EQ(result.Json()["wrong"], 2);
  EXPECT_THAT(result.err, HasSubstr("asked for 1 nodes and got 2"));
}

TEST_F(LoadTest, AJobThatTheDaemonListsWithoutAReasonIsReported) {
  daemon_.has_phantom = true;
  const CliResult result = Load({"--jobs", "2", "--nodes", "1", "--json"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_EQ(result.Json()["ledger_differs"], 1);
  EXPECT_EQ(result.Json()["left_over"], 1);
}

TEST_F(LoadTest, RefusalsAndFailuresAreCountedByReasonAndRepeated) {
  daemon_.failures = 2;
  daemon_.refusals = 3;
  const CliResult result = Load({"--jobs", "2", "--nodes", "1", "--json"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  const auto json = result.Json();
  EXPECT_EQ(json["placed"], 2);
  EXPECT_EQ(json["failed_by"]["allocate: busy N"], 2);
  EXPECT_EQ(json["refused_by"]["needs N node, N free"], 3);
}

TEST_F(LoadTest, AnotherMachineIsRefused) {
  daemon_.fingerprint = 1;
  const CliResult result = Load({});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr("expected the machine file of the daemon"));
}

TEST_F(LoadTest, RefusesBadOptions) {
  EXPECT_EQ(Load({"--jobs", "0"}).exit, Exit::kBadInput);
  EXPECT_EQ(Load({"--concurrency", "1001"}).exit, Exit::kBadInput);
  EXPECT_EQ(Load({"--nodes", "17"}).exit, Exit::kBadInput);
}

}  // namespace
}  // namespace coolspan
