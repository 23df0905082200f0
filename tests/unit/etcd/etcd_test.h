// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_ETCD_ETCD_TEST_H_
#define COOLSPAN_TESTS_UNIT_ETCD_ETCD_TEST_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "etcd/etcd_client.h"
#include "etcd/etcd_keys.h"
#include "running_etcd.h"

namespace coolspan {

// One member for all tests of the program; each has keys of its own.
inline RunningEtcd& SharedEtcd() {
  static RunningEtcd etcd;
  return etcd;
}

inline std::string NewPrefix() {
  static int tests = 0;
  return "/test" + std::to_string(getpid()) + "." + std::to_string(++tests) +
         "/";
}

// Replaces the leader key of the cluster, as by another daemon. Returns the
// term.
inline std::uint64_t ElectFor(EtcdClient& client, const EtcdKeys& keys,
                              const std::string& cluster) {
  etcdserverpb::TxnRequest deletion;
  deletion.add_success()->mutable_request_delete_range()->set_key(
      keys.LeaderOf(cluster));
  EXPECT_TRUE(client.Txn(deletion).ok());
  etcdserverpb::TxnRequest claim;
  auto& put = *claim.add_success()->mutable_request_put();
  put.set_key(keys.LeaderOf(cluster));
  put.set_value("ipv4:127.0.0.1:1");
  const auto response = client.Txn(claim);
  EXPECT_TRUE(response.ok()) << response.status();
  if (!response.ok()) return 0;
  return static_cast<std::uint64_t>(response->header().revision());
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_ETCD_ETCD_TEST_H_
