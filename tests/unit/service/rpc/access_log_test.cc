// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "service/rpc/library_log.h"
#include "service/rpc/peer.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class AccessLogTest : public ::testing::Test {
 protected:
  AccessLogTest()
      : log_(*EventLog::Open({"info", folder_.File("log"), "json"})) {}

  std::string Text() const {
    log_->Flush();
    std::ostringstream text;
    text << std::ifstream(folder_.File("log")).rdbuf();
    return text.str();
  }
  int Lines() const {
    const std::string text = Text();
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

  ScratchFolder folder_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(AccessLogTest, OneLineAMinuteForEachReason) {
  AccessLog access(*log_);
  const auto start = AccessLog::Clock::now();
  for (int i = 0; i < 1000; ++i) access.Refused("user 7", "no role", start);
  access.Refused("user 8", "no role", start);
  EXPECT_EQ(Lines(), 2);
  access.Refused("user 7", "no role", start + AccessLog::kPeriod);
  EXPECT_EQ(Lines(), 3);
  EXPECT_THAT(Text(), HasSubstr("\"times\":1000"));
}

TEST_F(AccessLogTest, ManyClientsDoNotFillTheLog) {
  AccessLog access(*log_);
  const auto start = AccessLog::Clock::now();
  for (int i = 0; i < 10'000; ++i)
    access.Refused("user " + std::to_string(i), "no role", start);
  EXPECT_EQ(Lines(), static_cast<int>(AccessLog::kMaxKinds));
  access.Refused("user x", "no role", start + AccessLog::kPeriod);
  EXPECT_EQ(Lines(), static_cast<int>(AccessLog::kMaxKinds) + 1);
}

TEST_F(AccessLogTest, ControlCharactersOfClientsAreEscaped) {
  AccessLog access(*log_);
  access.Refused(
      "certificate \xC2\x9B"
      "2J\x7F\x1b[2J",
      "no role");
  EXPECT_THAT(Text(), HasSubstr("certificate \\u009b2J\\u007f\\u001b[2J"));
}

TEST(RateLimitTest, BurstsOfTwiceTheRate) {
  RateLimit limit(10);
  const auto start = RateLimit::Clock::now();
  int accepted = 0;
  for (int i = 0; i < 100; ++i) accepted += limit.Take(start) ? 1 : 0;
  EXPECT_EQ(accepted, 20);
  accepted = 0;
  for (int i = 0; i < 100; ++i)
    accepted += limit.Take(start + std::chrono::milliseconds(510)) ? 1 : 0;
  EXPECT_EQ(accepted, 5);
}

TEST(RateLimitTest, CallersThatWaitAreServedAtTheRate) {
  RateLimit limit(10, 2);
  const auto start = RateLimit::Clock::now() + std::chrono::seconds(1);
  EXPECT_EQ(limit.Reserve(1, start).count(), 0);
  EXPECT_EQ(limit.Reserve(1, start).count(), 0);
  const auto third = limit.Reserve(1, start);
  EXPECT_NEAR(std::chrono::duration<double>(third).count(), 0.1, 1e-6);
  const auto later = limit.Reserve(1, start + third);
  EXPECT_NEAR(std::chrono::duration<double>(later).count(), 0.1, 1e-6);
}

std::string Explained(const std::string& end, TlsPeers peers) {
  const auto failure = FailedHandshake(
      "Handshake failed with fatal error SSL_ERROR_SSL: error:0A0000C7:SSL "
      "routines::" +
          end,
      peers);
  return failure.has_value() ? failure->peer + ": " + failure->why : "";
}

TEST(LibraryLogTest, HandshakeLinesAreExplained) {
  const TlsPeers clients = {.clients = true};
  EXPECT_EQ(Explained("peer did not return a certificate.", clients),
            "on TCP: TLS handshake: the client shows no certificate");
  EXPECT_THAT(Explained("certificate verify failed.", clients),
              HasSubstr("not valid now, or not signed by"));
  EXPECT_EQ(Explained("wrong version number.", clients),
            "on TCP: TLS handshake: the client does not use TLS");
  EXPECT_EQ(Explained("http request.", clients),
            "on TCP: TLS handshake: the client does not use TLS");
  EXPECT_THAT(Explained("tlsv1 alert unknown ca.", clients),
              HasSubstr("does not accept the daemon's certificate"));
  EXPECT_EQ(Explained("x", clients), "on TCP: TLS handshake: other error");
  EXPECT_FALSE(FailedHandshake("Socket closed", clients).has_value());
}

TEST(LibraryLogTest, AHandshakeWithEtcdIsNotThatOfAClient) {
  const TlsPeers etcd = {.etcd = true};
  EXPECT_EQ(Explained("certificate verify failed.", etcd),
            "etcd: TLS handshake: etcd's certificate is not valid now, or not "
            "signed by an authority in state.etcd_ca");
  EXPECT_EQ(Explained("wrong version number.", etcd),
            "etcd: TLS handshake: etcd does not use TLS");
  EXPECT_EQ(Explained("x", etcd), "etcd: TLS handshake: other error");
  const TlsPeers both = {.clients = true, .etcd = true};
  EXPECT_THAT(Explained("certificate verify failed.", both),
              HasSubstr("a client or etcd: TLS handshake: the certificate is"));
  EXPECT_EQ(Explained("peer did not return a certificate.", both),
            "on TCP: TLS handshake: the client shows no certificate");
  EXPECT_EQ(Explained("certificate verify failed.", {}), "");
}

TEST_F(AccessLogTest, AFailedHandshakeIsNotARefusedClient) {
  AccessLog access(*log_);
  access.HandshakeFailed("etcd", "no TLS");
  access.HandshakeFailed("etcd", "no TLS");
  EXPECT_EQ(Lines(), 1);
  EXPECT_THAT(Text(), HasSubstr("\"tls\""));
  EXPECT_THAT(Text(), HasSubstr("\"peer\":\"etcd\""));
  EXPECT_THAT(Text(), ::testing::Not(HasSubstr("refused")));
}

}  // namespace
}  // namespace coolspan
