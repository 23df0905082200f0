// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_ETCD_MIRROR_H_
#define COOLSPAN_ETCD_ETCD_MIRROR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "etcd/etcd_client.h"
#include "etcd/etcd_keys.h"
#include "state/ledger_store.h"

namespace coolspan {

// A copy of all keys below the prefix, which follows etcd by a watch. It has
// every change up to one revision, and none of later ones. Before it follows,
// it makes sure that etcd still has that revision: otherwise etcd was set up
// anew, or restored from a backup, and all is loaded again. Thread-safe.
class EtcdMirror {
 public:
  struct LeaderKey {
    std::string cluster;
    std::string endpoint;
    std::uint64_t term = 0;
    std::int64_t lease = 0;
  };
  // A leader key without a lease, which would never end: not by a daemon.
  struct StrayKey {
    std::string key;
    std::int64_t mod_revision = 0;
  };
  struct Member {
    std::string endpoint;
    std::int64_t lease = 0;
    // nullopt: the value is invalid.
    std::optional<std::uint64_t> machine_fingerprint;
  };
  struct ClusterVersion {
    std::string cluster;
    std::uint64_t version = 0;  // revision of the last change
  };

  // client must outlive the mirror. on_change: called after each change,
  // on_failure: with the reason when etcd cannot be followed any more; both on
  // the mirror's thread.
  EtcdMirror(EtcdClient& client, EtcdKeys keys, std::function<void()> on_change,
             std::function<void(const std::string&)> on_failure);
  // REQUIRES that the client is stopped.
  ~EtcdMirror();
  EtcdMirror(const EtcdMirror&) = delete;
  EtcdMirror& operator=(const EtcdMirror&) = delete;

  // 0: nothing was loaded yet.
  std::int64_t revision() const;
  // Grows when etcd is found to be another one, with revisions of its own: what
  // was begun before is to be given up.
  std::uint64_t history() const;
  // Of the last attempt to follow etcd.
  absl::Status status() const;
  std::vector<LeaderKey> Leaders() const;
  std::optional<LeaderKey> LeaderOf(const std::string& cluster) const;
  std::vector<StrayKey> StrayLeaders() const;
  // With a lease.
  std::vector<Member> Members() const;
  // Clusters of which there is a key; invalid names are left out.
  std::vector<ClusterVersion> Clusters() const;
  bool HasCluster(const std::string& cluster) const;
  // is_incomplete is set if etcd has become another one since the last Sync:
  // changes that were acknowledged may be missing. Errors: ReadStoredCluster's.
  absl::StatusOr<std::optional<StoredCluster>> Read(
      const std::string& cluster) const;

 private:
  struct Entry {
    std::string value;
    std::int64_t create_revision = 0;
    std::int64_t mod_revision = 0;
    std::int64_t lease = 0;

    bool operator==(const Entry&) const = default;
  };
  enum class Continuity { kSame, kOther, kUnknown };

  static Entry EntryOf(const mvccpb::KeyValue& pair);
  void Run();
  absl::Status Load();
  absl::Status Follow();
  // Whether etcd has what is here, at this revision. kUnknown: it has no such
  // revision, or it is compacted. Error: UNAVAILABLE.
  absl::StatusOr<Continuity> Compare();
  // Whether all that is here follows from what was here at known_revision_, as
  // far as can be seen. REQUIRES mutex_.
  bool Continues(const std::map<std::string, mvccpb::KeyValue>& pairs,
                 std::int64_t revision) const;
  // REQUIRES mutex_.
  void Apply(const mvccpb::Event& event);
  void Put(const mvccpb::KeyValue& pair);
  void NoteVersion(const std::string& key, std::int64_t revision);
  // Calls visit(key, entry) for all keys below the folder. REQUIRES mutex_.
  template <typename Visit>
  void VisitBelow(const std::string& folder, const Visit& visit) const;
  std::optional<LeaderKey> LeaderAt(const std::string& key,
                                    const Entry& entry) const;

  EtcdClient& client_;
  const EtcdKeys keys_;
  const std::function<void()> on_change_;
  const std::function<void(const std::string&)> on_failure_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;           // by key
  std::map<std::string, std::uint64_t> versions_;  // by encoded cluster
  std::int64_t revision_ = 0;
  std::int64_t known_revision_ = 0;  // the last one that was not 0
  std::uint64_t cluster_id_ = 0;     // 0: not known
  std::uint64_t history_ = 0;
  bool is_other_ = false;  // since the last Load
  // What was written up to this revision may be from a backup.
  std::int64_t doubted_revision_ = 0;
  bool is_failing_ = false;  // used by the thread only
  absl::Status status_ = absl::UnavailableError("etcd: not reached yet");
  std::atomic<bool> is_stopping_ = false;
  std::thread thread_;  // last: uses the members above
};

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_ETCD_MIRROR_H_
