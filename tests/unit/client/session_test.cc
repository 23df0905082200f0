// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/session.h"

#include <gtest/gtest.h>

#include "unit/client/fake_daemon.h"

namespace coolspan {
namespace {

v1::Event EventOf(std::uint32_t job_id) {
  v1::Event event;
  event.mutable_job()->set_job_id(job_id);
  return event;
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : daemon_(folder_.Path("a")) {
    auto session = Session::Open(daemon_.endpoint());
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    EXPECT_TRUE(session_->Sync(v1::SyncRequest()).ok());
  }
  SocketFolder folder_;
  FakeDaemon daemon_;
  std::unique_ptr<Session> session_;
};

TEST_F(SessionTest, EventsArriveBeforeTheNextAllocate) {
  for (std::uint32_t round = 0; round < 100; ++round) {
    EXPECT_TRUE(session_->Commit(EventOf(20)).ok());
    EXPECT_TRUE(session_->Suspend(EventOf(20)).ok());
    EXPECT_TRUE(session_->Release(EventOf(20)).ok());
    const auto reply = session_->Allocate(v1::AllocateRequest());
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_TRUE(reply->placed());
  }
  EXPECT_TRUE(session_->Close().ok());
}

TEST_F(SessionTest,
       FailedEventIsReportedByTheNextCallThatReadsAndAllLaterOnes) {
  EXPECT_TRUE(session_->Release(EventOf(13)).ok());
  const auto reply = session_->Allocate(v1::AllocateRequest());
  EXPECT_EQ(reply.status(), absl::InvalidArgumentError("job 13 fails"));
  EXPECT_EQ(session_->Release(EventOf(20)), reply.status());
  EXPECT_EQ(session_->Allocate(v1::AllocateRequest()).status(), reply.status());
}

TEST_F(SessionTest, CloseReportsAFailedEvent) {
  EXPECT_TRUE(session_->Release(EventOf(13)).ok());
  EXPECT_EQ(session_->Close(), absl::InvalidArgumentError("job 13 fails"));
}

TEST_F(SessionTest, ClosedStreamIsAnErrorWithTheCodeOfTheDaemon) {
  EXPECT_TRUE(session_->Release(EventOf(14)).ok());
  EXPECT_EQ(session_->Allocate(v1::AllocateRequest()).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(SessionTest, StoppedDaemonIsUnavailable) {
  daemon_.Stop();
  EXPECT_EQ(session_->Allocate(v1::AllocateRequest()).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(SessionOpenTest, TriesEveryEndpoint) {
  SocketFolder folder;
  EXPECT_EQ(Session::Open("unix://" + folder.Path("a")).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Session::Open("nonsense").status().code(),
            absl::StatusCode::kInvalidArgument);
  FakeDaemon daemon(folder.Path("b"));
  EXPECT_TRUE(
      Session::Open("unix://" + folder.Path("a") + "," + daemon.endpoint())
          .ok());
}

}  // namespace
}  // namespace coolspan
