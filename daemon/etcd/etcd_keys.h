// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_ETCD_KEYS_H_
#define COOLSPAN_ETCD_ETCD_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace coolspan {

// The keys of a ledger in etcd, below a prefix that ends with a slash:
//
//   leaders/CLUSTER             the endpoint of the leader; its lease is the
//                               leader's, its create revision the term
//   members/ENDPOINT            v1.StoredMember; its lease is the daemon's
//   learned/ENDPOINT/NAME/N     parts of a v1.StoredLearned of that daemon; the
//                               last one has no content
//   clusters/CLUSTER/sync       v1.StoredRoster without the node table; exists
//                               from the first Sync on
//                   /table/N    parts of v1.StoredRoster's node table
//                   /jobs/ID    v1.StoredJob
//                   /queues/ID  v1.StoredQueueMark
//                   /mode       text
//                   /heard      milliseconds, in decimal
//                   /incomplete exists: StoredCluster.is_incomplete
//                   /redo/N     parts of a v1.StoredChange in progress
//                   /redo/end   their number: from now on it counts
//                   /fence      replaced by each transaction
//
// Names are percent-encoded, so that they contain no slash.
std::string EncodeName(std::string_view name);
// nullopt: not what EncodeName returns.
std::optional<std::string> DecodeName(std::string_view encoded);

// The end of the range of all keys that begin with the prefix, which ends with
// a slash.
std::string RangeEndOf(std::string_view prefix);

class EtcdKeys {
 public:
  explicit EtcdKeys(std::string prefix) : prefix_(std::move(prefix)) {}

  const std::string& prefix() const { return prefix_; }
  std::string Leaders() const { return prefix_ + "leaders/"; }
  std::string LeaderOf(std::string_view cluster) const {
    return Leaders() + EncodeName(cluster);
  }
  std::string Members() const { return prefix_ + "members/"; }
  std::string Member(std::string_view endpoint) const {
    return Members() + EncodeName(endpoint);
  }
  std::string LearnedBy(std::string_view endpoint) const {
    return prefix_ + "learned/" + EncodeName(endpoint) + "/";
  }
  std::string Clusters() const { return prefix_ + "clusters/"; }
  std::string Cluster(std::string_view cluster) const {
    return Clusters() + EncodeName(cluster) + "/";
  }

 private:
  std::string prefix_;
};

// Below EtcdKeys::Cluster.
namespace cluster_keys {
inline constexpr std::string_view kSync = "sync";
inline constexpr std::string_view kTable = "table/";
inline constexpr std::string_view kJobs = "jobs/";
inline constexpr std::string_view kQueues = "queues/";
inline constexpr std::string_view kMode = "mode";
inline constexpr std::string_view kHeard = "heard";
inline constexpr std::string_view kIncomplete = "incomplete";
inline constexpr std::string_view kRedo = "redo/";
inline constexpr std::string_view kRedoEnd = "redo/end";
inline constexpr std::string_view kFence = "fence";
// In the order of the numbers.
std::string Part(std::string_view folder, std::size_t number);
std::string Job(std::uint32_t job_id);
std::string Queue(std::string_view client_id);
}  // namespace cluster_keys

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_ETCD_KEYS_H_
