// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

class DrainTest : public ServingTest {
 protected:
  DrainTest() { Sync(); }
  v1::DrainReply Drain(bool undo = false) {
    v1::DrainRequest request;
    request.set_undo(undo);
    return Good(&Stub::Drain, request);
  }
  bool IsKeptAlive() {
    v1::KeepAliveRequest request;
    request.set_cluster("c");
    request.set_epoch(epoch_);
    request.set_client_id("q");
    return !Good(&Stub::KeepAlive, request).drained();
  }
};

TEST_F(DrainTest, DecisionsAreRefusedAndEventsTaken) {
  ASSERT_TRUE(Allocate(AskFor(epoch_, 1, 2)).placed());
  EXPECT_TRUE(IsKeptAlive());
  EXPECT_FALSE(Drain().was_drained());
  v1::AllocateReply reply;
  const grpc::Status refused =
      Call(&Stub::Allocate, AskFor(epoch_, 2, 1), reply);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(),
              ::testing::StartsWith("coolspand is drained: "));
  v1::Refusal refusal;
  EXPECT_TRUE(refusal.ParseFromString(refused.error_details()));
  EXPECT_TRUE(refusal.drained());
  EXPECT_TRUE(Commit(CommitOf(epoch_, 1, 1, {1, 2})).as_decided());
  Good(&Stub::Release, EventOf(epoch_, 2, 1));
  EXPECT_EQ(Ledger(), "");
  EXPECT_FALSE(IsKeptAlive());
  EXPECT_TRUE(Good(&Stub::Sync, SmallSync()).drained());
  EXPECT_GT(Good(&Stub::Status, v1::StatusRequest()).drained_ms(), 0);

  EXPECT_TRUE(Drain(/*undo=*/true).was_drained());
  EXPECT_TRUE(IsKeptAlive());
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).drained_ms(), 0);
  Sync();
  EXPECT_TRUE(Allocate(AskFor(epoch_, 3, 1)).placed());
}

TEST_F(DrainTest, TentativeAllocationsAreInProgress) {
  ASSERT_TRUE(Allocate(AskFor(epoch_, 1, 1)).placed());
  ASSERT_TRUE(Allocate(AskFor(epoch_, 2, 1)).placed());
  EXPECT_EQ(Drain().tentative(), 2u);
  Commit(CommitOf(epoch_, 1, 1, {1}));
  Commit(CommitOf(epoch_, 2, 2, {2}));
  const v1::DrainReply reply = Drain();
  EXPECT_TRUE(reply.was_drained());
  EXPECT_EQ(reply.tentative(), 0u);
  EXPECT_EQ(reply.decisions(), 0u);
}

TEST_F(DrainTest, TheLogHasBeginningAndEnd) {
  Drain();
  const auto logged = [this] {
    std::ifstream in(folder_.File("log.txt"));
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (logged().find("\"in_progress\":0") == std::string::npos &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Drain(/*undo=*/true);
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  EXPECT_THAT(logged(), ::testing::HasSubstr("\"decisions\":\"refused\""));
  EXPECT_THAT(logged(), ::testing::HasSubstr("\"in_progress\":0"));
  EXPECT_THAT(logged(), ::testing::HasSubstr("\"decisions\":\"made again\""));
}

TEST_F(DrainTest, ARestartEndsIt) {
  Drain();
  Restart();
  Sync();
  EXPECT_TRUE(Allocate(AskFor(epoch_, 1, 1)).placed());
}

}  // namespace
}  // namespace coolspan
