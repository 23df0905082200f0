// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_ETCD_LEADERSHIP_H_
#define COOLSPAN_ETCD_ETCD_LEADERSHIP_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "etcd/etcd_client.h"
#include "etcd/etcd_keys.h"
#include "state/leadership.h"

namespace coolspan {

struct ElectionSetting {
  // At which clients reach this daemon; different for each daemon.
  std::string endpoint;
  std::uint64_t machine_fingerprint = 0;  // Machine::Fingerprint
  std::chrono::seconds lease{2};
  // For the log: what happened, about which cluster (empty: all), and more.
  std::function<void(bool is_problem, const std::string& state,
                     const std::string& cluster, const std::string& text)>
      log;
};

// Elections in etcd. A daemon has one lease, which it keeps alive; the leader
// key of a cluster belongs to the lease of its leader, so that it is deleted
// when the lease ends. Of the daemons that take part, the one with the highest
// hash of its endpoint and the cluster's name claims it at once, the others a
// little later. client must outlive the object.
std::unique_ptr<Leadership> MakeEtcdLeadership(EtcdClient& client,
                                               EtcdKeys keys,
                                               ElectionSetting setting);

// The members in the order in which they claim a cluster.
std::vector<std::string> ClaimOrder(std::vector<std::string> members,
                                    const std::string& cluster);

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_ETCD_LEADERSHIP_H_
