// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_SERVED_CLUSTER_H_
#define COOLSPAN_SERVICE_CLUSTERS_SERVED_CLUSTER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "service/codec/event_kind.h"
#include "service/codec/node_table.h"

namespace coolspan {

// The node table and allocator of one cluster, with the messages of the
// protocol as its interface. Part of live and virtual clusters. Not
// thread-safe.
class ServedCluster {
 public:
  ServedCluster(std::string name, std::shared_ptr<const Machine> machine);

  const std::string& name() const { return name_; }
  const NodeTable& table() const { return *table_; }
  std::shared_ptr<const NodeTable> shared_table() const { return table_; }
  const Allocator& allocator() const { return allocator_; }
  // False before the first Sync. All calls but Sync and Restore* REQUIRE a
  // table.
  bool has_table() const { return table_->size() > 0; }

  // Error: FAILED_PRECONDITION (no node table, or another epoch).
  absl::Status CheckEpoch(const std::string& epoch) const;

  // Sets the node table, capacities and holdings of the request. Returns the
  // jobs for which the ledger differed. Error: INVALID_ARGUMENT (nothing is
  // changed).
  absl::StatusOr<std::vector<JobKey>> Sync(const v1::SyncRequest& request);

  // pattern: PatternOf(request), which takes too long for a caller's locks.
  // Error: INVALID_ARGUMENT (bitmaps of another size, required nodes not in the
  // machine, a time or share out of range).
  absl::StatusOr<AllocateCall> Decode(
      const v1::AllocateRequest& request,
      std::shared_ptr<const CommPattern> pattern) const;
  // As in Allocator. Begin and Allocate also return ABORTED for a repeat if
  // nodes of the earlier answer are not in the current node table.
  absl::StatusOr<DecisionPtr> Begin(const AllocateCall& call);
  absl::StatusOr<DecisionPtr> Hold(const AllocateCall& call, Decision decision);
  absl::StatusOr<DecisionPtr> Allocate(const AllocateCall& call,
                                       const DecidingPolicies& policies,
                                       Budget& budget);

  // The effect of an event besides that on its own job's nodes.
  struct Effect {
    bool as_decided = false;
    std::vector<JobKey> disputed;
  };
  // Error: INVALID_ARGUMENT (bitmap, units, share, time).
  absl::StatusOr<Effect> Apply(EventKind kind, const v1::Event& event);

  // Sets the nodes that cannot be used now, from a bitmap of the node table;
  // empty: none. Returns whether they changed. Error: INVALID_ARGUMENT (nothing
  // is changed).
  absl::StatusOr<bool> SetUnavailable(const std::string& bitmap);
  // Nodes of the machine, of the last Sync or SetUnavailable.
  const NodeSet& unavailable() const { return unavailable_; }

  std::vector<JobKey> AdvanceTo(TimeMs now_ms);
  void SetClock(TimeMs now_ms) { allocator_.SetClock(now_ms); }
  // REQUIRES a machine with a room.
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction);

  // Restore stored state. REQUIRES a new cluster. capacity: by node name in
  // bitmap order. Error: INVALID_ARGUMENT.
  absl::Status RestoreTable(const std::string& hostlist,
                            std::span<const Units> capacity);
  void RestoreHolding(Holding holding);
  void RestoreStart(const RecentStart& start) {
    allocator_.RestoreStart(start);
  }

 private:
  absl::StatusOr<DecisionPtr> CheckNamed(
      absl::StatusOr<DecisionPtr> answer) const;
  absl::StatusOr<NodeSet> DecodeUnavailable(const std::string& bitmap,
                                            const NodeTable& table) const;

  std::string name_;
  std::shared_ptr<const NodeTable> table_;
  Allocator allocator_;
  NodeSet unavailable_;
};

v1::AllocateReply EncodeDecision(const Decision& decision,
                                 const NodeTable& table);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_SERVED_CLUSTER_H_
