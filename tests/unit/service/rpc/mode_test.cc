// SPDX-License-Identifier: GPL-3.0-or-later
// Modes set by the request, by SetMode and by rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class ModeTest : public ServingTest {
 protected:
  ModeTest()
      : ServingTest(
            "rules:\n"
            "  - {partition: watched, mode: advise}\n"
            "  - {partition: debug, mode: \"off\"}\n"
            "comment_policies: [random]\n") {
    Sync();
  }
  std::string SetMode(const std::string& mode) {
    v1::SetModeRequest request;
    request.set_mode(mode);
    return Good(&Stub::SetMode, request).previous();
  }
  // The mode for a new job.
  std::string ModeFor(const std::string& of_client,
                      const std::string& partition = "main") {
    v1::AllocateRequest request = AskFor(epoch_, ++job_, 1);
    request.set_mode(of_client);
    request.set_partition(partition);
    request.set_comment("coolspan:policy=random");
    const v1::AllocateReply reply = Allocate(request);
    EXPECT_EQ(reply.placed(), reply.mode() != "off");
    EXPECT_EQ(reply.reason(), reply.placed() ? "" : "mode=off");
    v1::Event event;
    event.set_cluster("c");
    event.set_epoch(epoch_);
    event.set_client_id("q");
    event.set_sequence(++sequence_);
    event.set_now_ms(1000);
    event.mutable_job()->set_job_id(job_);
    Good(&Stub::Release, event);
    return reply.mode();
  }

  std::uint32_t job_ = 0;
  std::uint64_t sequence_ = 0;
};

TEST_F(ModeTest, OfTheClientUnlessSet) {
  EXPECT_EQ(ModeFor(""), "enforce");
  for (const char* const mode : {"enforce", "advise", "off"}) {
    EXPECT_EQ(ModeFor(mode), mode);
  }
  for (const char* const mode : {"off", "advise", "enforce"}) {
    SetMode(mode);
    for (const char* const of_client : {"enforce", "advise"}) {
      EXPECT_EQ(ModeFor(of_client), mode);
    }
  }
  EXPECT_EQ(SetMode(""), "enforce");
  EXPECT_EQ(SetMode(""), "");
  EXPECT_EQ(ModeFor("advise"), "advise");
}

TEST_F(ModeTest, StatusHasThatOfTheClient) {
  const auto cluster = [&] {
    return Good(&Stub::Status, v1::StatusRequest()).clusters(0);
  };
  EXPECT_EQ(cluster().client_mode(), "") << "unknown";
  v1::SyncRequest sync = SmallSync();
  sync.set_mode("advise");
  sync.set_client_id("q.2");
  Good(&Stub::Sync, sync);
  EXPECT_EQ(cluster().client_mode(), "advise");
  EXPECT_EQ(cluster().mode(), "");
}

TEST_F(ModeTest, ARuleChangesLessOnly) {
  for (const auto& [set, watched, debug] :
       {std::tuple("enforce", "advise", "off"),
        {"advise", "advise", "off"},
        {"off", "off", "off"},
        {"", "advise", "off"}}) {
    SetMode(set);
    EXPECT_EQ(ModeFor("enforce", "watched"), watched) << set;
    EXPECT_EQ(ModeFor("enforce", "debug"), debug) << set;
  }
}

TEST_F(ModeTest, OffHoldsNothing) {
  SetMode("off");
  Allocate(AskFor(epoch_, 1, 2));
  EXPECT_EQ(Ledger(), "");
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).decisions(), 0U);
}

TEST_F(ModeTest, OffRefusesAStaleEpoch) {
  SetMode("off");
  EXPECT_EQ(CodeOf(&Stub::Allocate, AskFor("other", 1, 2)),
            grpc::StatusCode::FAILED_PRECONDITION)
      << "the client must learn that it has to sync";
}

TEST_F(ModeTest, OffWaitsForEarlierEvents) {
  SetMode("off");
  v1::AllocateRequest request = AskFor(epoch_, 1, 2);
  request.set_after_sequence(1);
  EXPECT_NE(CodeOf(&Stub::Allocate, request, 200), grpc::StatusCode::OK);
}

TEST_F(ModeTest, IsStored) {
  SetMode("advise");
  Restart();
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).clusters(0).mode(),
            "advise");
  EXPECT_EQ(Sync().mode(), "advise") << "a Sync must keep it";
  Restart();
  Sync();
  EXPECT_EQ(ModeFor("enforce"), "advise");
}

TEST_F(ModeTest, OfDecisionsIsExplained) {
  SetMode("advise");
  Allocate(AskFor(epoch_, 1, 2));
  EXPECT_EQ(Explain(1).mode(), "advise");
  SetMode("enforce");
  Allocate(AskFor(epoch_, 2, 2));
  EXPECT_EQ(Explain(2).mode(), "enforce");
}

TEST_F(ModeTest, WatchersSeeChanges) {
  grpc::ClientContext context;
  auto reader = stub_->Watch(&context, v1::WatchRequest());
  reader->WaitForInitialMetadata();
  SetMode("off");
  v1::Happening happening;
  ASSERT_TRUE(reader->Read(&happening));
  EXPECT_EQ(happening.what_case(), v1::Happening::kMode);
  EXPECT_EQ(happening.mode(), "off");
  context.TryCancel();
}

TEST_F(ModeTest, InvalidOnesAreRefused) {
  v1::SetModeRequest request;
  request.set_mode("perhaps");
  v1::SetModeReply reply;
  EXPECT_THAT(Call(&Stub::SetMode, request, reply).error_message(),
              HasSubstr("mode: \"perhaps\" (expected off, advise, enforce"));
  request.set_mode("off");
  request.set_cluster("other");
  EXPECT_EQ(CodeOf(&Stub::SetMode, request),
            grpc::StatusCode::FAILED_PRECONDITION);
  v1::AllocateRequest ask = AskFor(epoch_, 1, 1);
  ask.set_mode("perhaps");
  EXPECT_EQ(CodeOf(&Stub::Allocate, ask), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace coolspan
