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

TEST(EtcdTls, MembersAndClientsShowCertificates) {
  if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
  const ScratchFolder folder;
  const TestAuthority authority(folder.File(""), "ca");
  const TestAuthority other(folder.File(""), "other");
  RunningEtcd::Options options;
  options.tls = authority.Issue("etcd");
  const RunningEtcd etcd(options);
  const auto endpoints = etcd.endpoints();

  const CertificateFiles daemon = authority.Issue("coolspand");
  EXPECT_TRUE(Read(endpoints, daemon).ok());
  CertificateFiles of_others = daemon;
  of_others.ca = other.ca();
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, of_others)))
      << "etcd's certificate is of an unknown authority";
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, other.Issue("stranger"))));
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, {"", "", authority.ca()})))
      << "without a certificate of the client";
  EXPECT_TRUE(absl::IsUnavailable(Read(endpoints, {})));
}

// state.etcd_ca alone.
TEST(EtcdTls, AClientNeedsNoCertificateOfItsOwn) {
  if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
  const ScratchFolder folder;
  const TestAuthority authority(folder.File(""), "ca");
  const TestAuthority other(folder.File(""), "other");
  RunningEtcd::Options options;
  options.tls = authority.Issue("etcd");
  options.asks_clients = false;
  const RunningEtcd etcd(options);
  const absl::Status status = Read(etcd.endpoints(), {"", "", authority.ca()});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(
      absl::IsUnavailable(Read(etcd.endpoints(), {"", "", other.ca()})));
}

}  // namespace
}  // namespace coolspan
