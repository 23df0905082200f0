// SPDX-License-Identifier: GPL-3.0-or-later
// A daemon with mutual TLS, and clients with certificates of all kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "client/calls.h"
#include "service/daemon.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"
#include "unit/tls/test_authority.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    authority_.Issue("daemon");
    DaemonSetup setup = SmallSetup(
        folder_.File(""),
        "http: {listen: \"127.0.0.1:0\"}\n"
        "tls: {cert: daemon.crt, key: daemon.key, client_ca: ca.crt}\n"
        "access:\n  operator: [\"cert:chief\"]\n  reader: [\"cert:eyes\"]\n"
        "  sensor: [\"cert:probe\"]\n  max_calls_per_s: 20\n");
    setup.file.listen.value = {"ipv4:127.0.0.1:0"};
    auto daemon = Daemon::Start(setup);
    EXPECT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = *std::move(daemon);
  }

  absl::StatusOr<v1::StatusReply> Status(const CertificateFiles& files) const {
    auto calls = Calls::Create({daemon_->endpoints()[0], files});
    if (!calls.ok()) return calls.status();
    return (*calls)->Status();
  }
  absl::Status SetMode(const CertificateFiles& files) const {
    auto calls = Calls::Create({daemon_->endpoints()[0], files});
    if (!calls.ok()) return calls.status();
    return (*calls)->SetMode(v1::SetModeRequest()).status();
  }
  std::string Metrics() const {
    httplib::Client client("http://" + daemon_->http_address());
    const httplib::Result page = client.Get("/metrics");
    return page ? page->body : httplib::to_string(page.error());
  }
  std::string Log() const {
    std::ostringstream text;
    text << std::ifstream(folder_.File("log.txt")).rdbuf();
    return text.str();
  }

  ScratchFolder folder_;
  TestAuthority authority_{folder_.File(""), "ca"};
  TestAuthority other_{folder_.File(""), "other-ca"};
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(TlsTest, RolesAreThoseOfTheCertificate) {
  const auto eyes = authority_.Issue("eyes");
  const auto chief = authority_.Issue("chief");
  const auto probe = authority_.Issue("probe");
  EXPECT_TRUE(Status(eyes).ok()) << Status(eyes).status();
  const absl::Status refused = SetMode(eyes);
  EXPECT_EQ(refused,
            absl::PermissionDeniedError(
                "SetMode needs the role operator; certificate eyes has: reader "
                "(expected an entry in access.operator of the daemon file)"));
  // Past the check: there is no cluster yet.
  EXPECT_TRUE(absl::IsFailedPrecondition(SetMode(chief))) << SetMode(chief);
  EXPECT_TRUE(absl::IsPermissionDenied(Status(probe).status()));
  EXPECT_TRUE(
      absl::IsPermissionDenied(Status(authority_.Issue("stranger")).status()));
  EXPECT_THAT(Metrics(), HasSubstr("coolspan_calls_total{call=\"SetMode\","
                                   "code=\"PERMISSION_DENIED\"} 1"));
  EXPECT_THAT(Log(), HasSubstr("\"client\":\"certificate eyes\",\"why\":"
                               "\"SetMode needs the role operator\""));
}

TEST_F(TlsTest, OnlyCommonAndDnsNamesCount) {
  const auto status = [this](const std::string& names) {
    return Status(authority_.Issue("mallory", TestAuthority::kYear, names))
        .status();
  };
  EXPECT_TRUE(status("DNS:eyes").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(status("email:eyes,URI:eyes")));
}

TEST_F(TlsTest, RefusedCallsAreLimitedToo) {
  const auto eyes = authority_.Issue("eyes");
  auto calls = Calls::Create({daemon_->endpoints()[0], eyes});
  ASSERT_TRUE(calls.ok());
  int limited = 0;
  for (int i = 0; i < 100; ++i) {
    const absl::Status status =
        (*calls)->SetMode(v1::SetModeRequest()).status();
    limited += absl::IsResourceExhausted(status) ? 1 : 0;
  }
  EXPECT_GT(limited, 0) << "of 100 calls, 20 a second are allowed";
}

TEST_F(TlsTest, AKeyOfAnotherCertificateIsLogged) {
  const auto logged = [this](const char* text) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (Log().find(text) == std::string::npos &&
           std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return Log();
  };
  const std::string key = folder_.File("daemon.key");
  const std::string before = folder_.File("before.key");
  std::filesystem::rename(key, before);
  std::filesystem::copy_file(authority_.Issue("other").key, key);
  EXPECT_THAT(logged("not the key of"), HasSubstr("new TCP connections are "
                                                  "refused"));
  std::filesystem::rename(before, key);
  EXPECT_THAT(logged("valid again"), HasSubstr("valid again"));
}

TEST_F(TlsTest, RefusedCertificatesAreExplainedOnBothSides) {
  const auto why = [this](const CertificateFiles& files) {
    const auto status = Status(files).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    return std::string(status.message());
  };
  const auto expired = authority_.Issue("eyes", -60);
  EXPECT_THAT(why(expired), HasSubstr(expired.cert + " expired on "));
  CertificateFiles foreign = other_.Issue("eyes");
  foreign.ca = authority_.ca();
  EXPECT_THAT(why(foreign),
              HasSubstr("is not signed by an authority in " + foreign.ca));
  EXPECT_THAT(Log(), HasSubstr("TLS handshake: the client's certificate is not "
                               "valid now, or not signed by"));
  EXPECT_THAT(why({}), HasSubstr("does coolspand expect TLS?"));
  EXPECT_THAT(Log(), HasSubstr("TLS handshake: the client does not use TLS"));
  CertificateFiles distrustful = authority_.Issue("eyes");
  distrustful.ca = other_.ca();
  EXPECT_THAT(why(distrustful),
              HasSubstr("coolspand's certificate is not valid now, or not "
                        "signed by an authority in " +
                        other_.ca()));
}

TEST_F(TlsTest, NewCertificatesAreUsedWithoutARestart) {
  const auto eyes = authority_.Issue("eyes");
  ASSERT_TRUE(Status(eyes).ok());
  // The daemon moves to the other authority.
  const CertificateFiles fresh = other_.Issue("daemon");
  std::filesystem::copy_file(other_.ca(), authority_.ca(),
                             std::filesystem::copy_options::overwrite_existing);
  const auto moved = other_.Issue("eyes");
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!Status(moved).ok() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_TRUE(Status(moved).ok()) << Status(moved).status();
  EXPECT_NE(fresh.cert, "");
}

}  // namespace
}  // namespace coolspan
