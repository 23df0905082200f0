// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/channels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace coolspan {
namespace {

TEST(ToAbslTest, ErrorsAreInPlainWords) {
  for (const auto& [of_grpc, plain] : {
           std::pair("failed to connect to all addresses; last error: UNKNOWN: "
                     "unix:/run/c.sock: Connection refused",
                     "Connection refused"),
           std::pair("failed to connect to all addresses; last error: UNKNOWN: "
                     "ipv4:127.0.0.1:7: connection attempt timed out before "
                     "receiving SETTINGS frame",
                     "connected, but no response"),
           std::pair("DNS resolution failed for a:7070: C-ares status is not "
                     "ARES_SUCCESS qtype=A name=a: Domain name not found",
                     "Domain name not found"),
           std::pair("recvmsg:Connection reset by peer",
                     "Connection reset by peer"),
           std::pair("Socket closed", "Socket closed"),
       }) {
    EXPECT_EQ(ToAbsl({grpc::StatusCode::UNAVAILABLE, of_grpc}),
              absl::UnavailableError(plain));
  }
  EXPECT_EQ(ToAbsl({grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"}),
            absl::DeadlineExceededError("no response in time"));
}

TEST(ToAbslTest, AnotherServiceIsNotCoolspand) {
  EXPECT_EQ(ToAbsl({grpc::StatusCode::UNIMPLEMENTED,
                    "Received http2 header with status: 404"}),
            absl::UnavailableError("another service responds"));
}

TEST(ToAbslTest, ErrorsOfTheDaemonAreKept) {
  EXPECT_TRUE(ToAbsl(grpc::Status::OK).ok());
  EXPECT_EQ(ToAbsl({grpc::StatusCode::NOT_FOUND, "no decision on job 0"}),
            absl::NotFoundError("no decision on job 0"));
}

class TermTest : public ::testing::Test {
 protected:
  bool Accepts(std::uint64_t sync, std::uint64_t term) {
    return channels_.CheckTerm(sync, term).ok();
  }

  Channels channels_{*ParseEndpoints("unix:///none")};
};

TEST_F(TermTest, AnswersOfALowerTermAreRefused) {
  channels_.BeginTerm(1, 5);
  EXPECT_TRUE(Accepts(1, 5));
  EXPECT_FALSE(Accepts(1, 4));
  EXPECT_TRUE(Accepts(1, 7));
  EXPECT_FALSE(Accepts(1, 5));
  EXPECT_TRUE(Accepts(1, 0));
}

TEST_F(TermTest, ASyncBeginsALowerTerm) {
  channels_.BeginTerm(1, 606);
  channels_.BeginTerm(2, 6);
  EXPECT_TRUE(Accepts(2, 6));
}

// It comes from an etcd of before, or from a former leader.
TEST_F(TermTest, AnAnswerToARequestOfAnEarlierSyncSetsNoTerm) {
  channels_.BeginTerm(1, 606);
  channels_.BeginTerm(2, 6);
  EXPECT_FALSE(Accepts(1, 606));
  EXPECT_FALSE(Accepts(1, 5));
  EXPECT_TRUE(Accepts(1, 6));
  EXPECT_TRUE(Accepts(2, 6));
}

}  // namespace
}  // namespace coolspan
