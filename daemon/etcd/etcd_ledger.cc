// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/etcd_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "etcd/stored_values.h"
#include "etcd/write_chain.h"

namespace coolspan {
namespace {

// Well below etcd's limit of a request.
constexpr std::size_t kLearnedPartBytes = 500'000;

// nullopt: not all parts are of the same time.
std::optional<StoredLearning> Joined(const std::vector<StoredLearning>& parts) {
  StoredLearning whole = parts.front();
  whole.content.clear();
  for (const StoredLearning& part : parts) {
    if (part.saved_ms != whole.saved_ms) return std::nullopt;
    if (part.content.empty()) return whole;
    whole.content += part.content;
  }
  return std::nullopt;
}

class EtcdLedger final : public LedgerStore {
 public:
  EtcdLedger(EtcdClient& client, EtcdKeys keys, std::string endpoint)
      : client_(client),
        keys_(std::move(keys)),
        endpoint_(std::move(endpoint)) {}

  absl::StatusOr<std::uint64_t> BeginTerm() override {
    return absl::UnimplementedError("etcd: terms begin by an election");
  }

  absl::StatusOr<std::vector<StoredCluster>> Load() override {
    std::map<std::string, ClusterPairs> pairs_of;  // by encoded name
    const std::string start = keys_.Clusters();
    const auto revision = client_.RangeAll(
        start, RangeEndOf(start), [&](const mvccpb::KeyValue& pair) {
          const std::string rest = pair.key().substr(start.size());
          const std::size_t slash = rest.find('/');
          if (slash == std::string::npos) return;
          pairs_of[rest.substr(0, slash)][rest.substr(slash + 1)] =
              pair.value();
        });
    if (!revision.ok()) return revision.status();
    std::vector<StoredCluster> clusters;
    for (const auto& [encoded, pairs] : pairs_of) {
      const auto name = DecodeName(encoded);
      if (!name.has_value()) {
        return absl::DataLossError(
            fmt::format("etcd: clusters/{}: invalid key", encoded));
      }
      auto cluster = ReadStoredCluster(*name, pairs);
      if (!cluster.ok()) return cluster.status();
      if (cluster->has_value()) clusters.push_back(**std::move(cluster));
    }
    std::sort(clusters.begin(), clusters.end(),
              [](const StoredCluster& a, const StoredCluster& b) {
                return a.name < b.name;
              });
    return clusters;
  }

  std::vector<absl::Status> Write(
      std::span<const TermChanges> writes) override {
    std::vector<WriteChain*> chains;
    for (const TermChanges& write : writes) {
      auto& chain = chains_[write.cluster];
      if (chain == nullptr || chain->term() != write.term) {
        chain = std::make_unique<WriteChain>(keys_, write.cluster, write.term);
      }
      chain->Begin(write.changes);
      chains.push_back(chain.get());
    }
    RunChains(client_, chains);
    std::vector<absl::Status> statuses;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      statuses.push_back(chains[i]->status());
      // Its term is over.
      if (absl::IsAborted(statuses.back())) chains_.erase(writes[i].cluster);
    }
    return statuses;
  }

  // Parts of an earlier time are of one that was not replaced whole.
  absl::Status SaveLearned(const StoredLearning& learned) override {
    const std::string folder =
        keys_.LearnedBy(endpoint_) + EncodeName(learned.name) + "/";
    StoredLearning part = learned;
    std::size_t begin = 0;
    for (std::size_t number = 0;; ++number) {
      part.content = learned.content.substr(begin, kLearnedPartBytes);
      etcdserverpb::TxnRequest request;
      auto& put = *request.add_success()->mutable_request_put();
      put.set_key(cluster_keys::Part(folder, number));
      put.set_value(EncodeStoredLearned(part));
      absl::Status status = client_.Txn(request).status();
      if (!status.ok() || part.content.empty()) return status;
      begin += part.content.size();
    }
  }

  absl::StatusOr<std::vector<StoredLearning>> LoadLearned() override {
    std::map<std::string, std::vector<StoredLearning>> parts_of;  // by name
    const std::string start = keys_.LearnedBy(endpoint_);
    const auto revision = client_.RangeAll(
        start, RangeEndOf(start), [&](const mvccpb::KeyValue& pair) {
          // It is learned again.
          auto part = DecodeStoredLearned(pair.value());
          if (!part.ok()) return;
          std::vector<StoredLearning>& parts = parts_of[part->name];
          parts.push_back(*std::move(part));
        });
    if (!revision.ok()) return revision.status();
    std::vector<StoredLearning> all;
    for (const auto& entry : parts_of) {
      auto whole = Joined(entry.second);
      if (whole.has_value()) all.push_back(*std::move(whole));
    }
    return all;
  }

  // A member of etcd has synced its disk before it acknowledges a write.
  absl::Status MakeDurable() override { return absl::OkStatus(); }

 private:
  EtcdClient& client_;
  const EtcdKeys keys_;
  const std::string endpoint_;
  std::map<std::string, std::unique_ptr<WriteChain>> chains_;  // by cluster
};

}  // namespace

std::unique_ptr<LedgerStore> MakeEtcdLedger(EtcdClient& client, EtcdKeys keys,
                                            std::string endpoint) {
  return std::make_unique<EtcdLedger>(client, std::move(keys),
                                      std::move(endpoint));
}

}  // namespace coolspan
