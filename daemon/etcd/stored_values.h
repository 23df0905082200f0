// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ETCD_STORED_VALUES_H_
#define COOLSPAN_ETCD_STORED_VALUES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "state/ledger_store.h"

namespace coolspan {

// Key-value pairs below EtcdKeys::Cluster.
using ClusterPairs = std::map<std::string, std::string, std::less<>>;

// The cluster that the pairs describe; nullopt: no Sync is among them, as after
// the removal of a cluster. Error: DATA_LOSS, with the key.
absl::StatusOr<std::optional<StoredCluster>> ReadStoredCluster(
    const std::string& name, const ClusterPairs& pairs);

// What a change writes below EtcdKeys::Cluster: nullopt deletes the key.
// REQUIRES neither a Sync nor a removal.
std::map<std::string, std::optional<std::string>> PairsOf(
    const LedgerChange& change);

// A change as the parts of a redo record. REQUIRES no removal.
std::vector<std::string> RedoPartsOf(const LedgerChange& change);
// The change of the redo record among the pairs, if it is complete. Error:
// DATA_LOSS.
absl::StatusOr<std::optional<LedgerChange>> ReadRedo(const std::string& cluster,
                                                     const ClusterPairs& pairs);
// What a Sync puts, in this order; what was there before of kSync, kTable,
// kJobs, kQueues and kIncomplete is to be deleted first.
std::vector<std::pair<std::string, std::string>> PairsOfSync(
    const StoredCluster& cluster);

std::string EncodeStoredLearned(const StoredLearning& learned);
absl::StatusOr<StoredLearning> DecodeStoredLearned(std::string_view value);

}  // namespace coolspan

#endif  // COOLSPAN_ETCD_STORED_VALUES_H_
