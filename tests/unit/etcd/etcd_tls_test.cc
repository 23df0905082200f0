// SPDX-License-Identifier: GPL-3.0-or-later
// An etcd with TLS, and certificates of its clients.
#include <gtest/gtest.h>

#include "etcd/etcd_client.h"
#include "running_etcd.h"
#include "unit/state/scratch_folder.h"
#include "unit/tls/test_authority.h"

namespace coolspan {
namespace {

absl::Status Read(const std::vector<std::string>& endpoints,
                  const CertificateFiles& files) {
  EtcdClient client(EtcdAddress{endpoints, files});
  etcdserverpb::RangeRequest request;
  request.set_key("any");
  return client.Range(request).status();
}

// etcd with a certificate of authority_.
class EtcdTls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
    options_.tls = authority_.Issue("etcd");
  }

  const ScratchFolder folder_;
  const TestAuthority authority_{folder_.File(""), "ca"};
  const TestAuthority other_{folder_.File(""), "other"};
  RunningEtcd::Options options_;
};

TEST_F(EtcdTls, MembersAndClientsShowCertificates) {
  const RunningEtcd etcd(options_);
  const auto endpoints = etcd.endpoints();

  const CertificateFiles daemon = authority_.Issue("coolspand");
  EXPECT_TRUE(Read(endpoints, daemon).ok());
  CertificateFiles of_others = daemon;
  of_others.ca = other_.ca();
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, of_others)))
      << "etcd's certificate is of an unknown authority";
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, other_.Issue("stranger"))));
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, {"", "", authority_.ca()})))
      << "without a certificate of the client";
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, {})));
}

// state.etcd_ca alone.
TEST_F(EtcdTls, AClientNeedsNoCertificateOfItsOwn) {
  options_.asks_clients = false;
  const RunningEtcd etcd(options_);
  const absl::Status status = Read(etcd.endpoints(), {"", "", authority_.ca()});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(
      absl::IsUnavailable(Read(etcd.endpoints(), {"", "", other_.ca()})));
}

}  // namespace
}  // namespace coolspan
