// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_WRITE_CHAIN_H_
#define COOLSPAN_ETCD_WRITE_CHAIN_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "etcd/etcd_client.h"
#include "etcd/etcd_keys.h"
#include "state/ledger_store.h"

namespace coolspan {

// The transactions of one cluster in one term, one after the other. The first
// ones of a term, and those after an error, complete or remove what an
// interrupted writer has left. Not thread-safe.
class WriteChain {
 public:
  WriteChain(EtcdKeys keys, std::string cluster, std::uint64_t term);

  std::uint64_t term() const { return term_; }
  // Replaces what is left to write.
  void Begin(std::span<const LedgerChange> changes);

  // The next request; nullopt: nothing is left, or an error has ended it.
  std::optional<etcdserverpb::TxnRequest> Next();
  // The result of the request.
  void Note(const absl::StatusOr<etcdserverpb::TxnResponse>& response);
  // Of what was begun. Errors: LedgerStore::Write's.
  const absl::Status& status() const { return status_; }

 private:
  // Keys below the cluster's; the transaction applies deletions of ranges
  // before puts, which must not overlap.
  struct Step {
    std::map<std::string, std::optional<std::string>> pairs;
    std::vector<std::string> deleted_folders;  // all keys that begin with it
    std::size_t bytes = 0;
    // Deletes the cluster with its fence.
    bool is_removal = false;

    std::size_t ops() const { return pairs.size() + deleted_folders.size(); }
  };

  Step& Last();
  void Put(Step& step, const std::string& key,
           std::optional<std::string> value);
  // Joined with the changes before, as far as one transaction can take them.
  void AddSmall(std::map<std::string, std::optional<std::string>>&& pairs,
                std::size_t bytes);
  void AddLarge(const LedgerChange& change);
  // The steps that apply a redo record and remove it.
  void AddRedone(const LedgerChange& change);
  void AddPairs(
      std::vector<std::pair<std::string, std::optional<std::string>>>&& pairs);
  etcdserverpb::TxnRequest RecoveryRead() const;
  void NoteRecovery(const etcdserverpb::TxnResponse& response);
  void NoteRefusal(const etcdserverpb::TxnResponse& response);
  std::string Token() const;

  const EtcdKeys keys_;
  const std::string cluster_;
  const std::string root_;  // EtcdKeys::Cluster
  const std::uint64_t term_;
  std::deque<Step> steps_;
  std::deque<Step> recovery_;
  // etcd's at the last response: in one etcd, it never falls.
  std::int64_t last_revision_;
  // Of the fence; 0: it does not exist.
  std::int64_t fence_revision_ = 0;
  std::uint64_t transactions_ = 0;
  bool replaces_all_ = false;  // what was begun
  bool is_read_ = false;       // what the store has is known
  bool is_reading_ = false;    // the request in progress is RecoveryRead's
  absl::Status status_;
};

// Runs the chains at the same time until each has ended.
void RunChains(EtcdClient& client, std::span<WriteChain* const> chains);

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_WRITE_CHAIN_H_
