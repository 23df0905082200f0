// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_VIRTUAL_CLUSTER_H_
#define COOLSPAN_SERVICE_CLUSTERS_VIRTUAL_CLUSTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/budget.h"
#include "service/clusters/decision_config.h"
#include "service/clusters/served_cluster.h"

namespace coolspan {

// A virtual cluster, for replays: has its own ledger, is not stored, and takes
// its time from the requests. Not thread-safe.
class VirtualCluster {
 public:
  // is_cancelled: ends a search early, whose answer is then of no use; called
  // often, from any thread.
  VirtualCluster(std::shared_ptr<const Machine> machine,
                 std::shared_ptr<const DecisionConfig> config,
                 std::function<bool()> is_cancelled = nullptr);

  // The reply to a message; nullopt: an event was applied.
  std::optional<v1::SessionReply> Answer(const v1::SessionRequest& request);

 private:
  static constexpr std::size_t kMaxPreviewPolicies = 64;

  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // The daemon's machine, with idle nodes on or off as requested.
  absl::StatusOr<std::shared_ptr<const Machine>> MachineOf(
      const v1::SyncRequest& request) const;
  absl::StatusOr<std::shared_ptr<const Ordering>> OrderingOf(
      const v1::SyncRequest& request) const;
  absl::StatusOr<std::shared_ptr<const Policy>> PolicyOf(
      const v1::PreviewRequest& request);
  absl::StatusOr<v1::AllocateReply> Allocate(
      const v1::AllocateRequest& request);
  absl::StatusOr<v1::AllocateReply> Preview(const v1::PreviewRequest& request);
  absl::Status Apply(EventKind kind, const v1::Event& event);
  // Commits may give a node to many jobs: the memory of a session is bounded.
  absl::Status CheckSize() const;
  void NoteSize(std::uint32_t job_id);
  Budget NewBudget() const;
  absl::Status CheckEpoch(const std::string& epoch) const;

  std::shared_ptr<const Machine> machine_;
  // Also after a reload: the decisions of a replay are by one configuration.
  const std::shared_ptr<const DecisionConfig> config_;
  const std::function<bool()> is_cancelled_;
  // From the last Sync.
  std::shared_ptr<const Ordering> ordering_;
  std::shared_ptr<const Policy> policy_;
  std::string policy_spec_;
  bool is_without_room_ = false;
  std::string span_;
  // Policies of previews since the last Sync, by policy and ordering.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Policy>>
      preview_policies_;
  std::optional<ServedCluster> cluster_;  // made by the first Sync
  // What holdings that were committed take, in nodes, and their sum.
  absl::flat_hash_map<std::uint32_t, std::size_t> sizes_;
  std::size_t size_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_VIRTUAL_CLUSTER_H_
