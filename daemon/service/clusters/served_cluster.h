// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_SERVED_CLUSTER_H_
#define COOLSPAN_SERVICE_CLUSTERS_SERVED_CLUSTER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "service/codec/node_table.h"

namespace coolspan {

// What a resource manager may state about one job.
enum class EventKind { kCommit, kRelease, kResize, kSuspend };

// One cluster's node table and allocator, spoken to in the wire's terms: the
// part that clusters on the real clock and virtual ones share. Not
// thread-safe.
class ServedCluster {
 public:
  ServedCluster(std::string name, std::shared_ptr<const Machine> machine);

  const std::string& name() const { return name_; }
  const NodeTable& table() const { return *table_; }
  std::shared_ptr<const NodeTable> shared_table() const { return table_; }
  const Allocator& allocator() const { return allocator_; }
  // False before the first Sync: every other call REQUIRES it.
  bool has_table() const { return table_->size() > 0; }

  // Error: FAILED_PRECONDITION, no table yet or another one.
  absl::Status CheckEpoch(const std::string& epoch) const;

  // Takes the node table, capacities and holdings of the request.
  // Returns the jobs the ledger had otherwise.
  // Errors: INVALID_ARGUMENT; nothing is changed then.
  absl::StatusOr<std::vector<JobKey>> Sync(const v1::SyncRequest& request);

  // Errors: INVALID_ARGUMENT: bitmaps of another size, required nodes without a
  // place in the machine, a time out of range.
  absl::StatusOr<AllocateCall> Decode(const v1::AllocateRequest& request) const;
  // As the Allocator's. Begin and Allocate also have ABORTED for a repeat of an
  // answer with nodes that a later Sync's table does not name.
  absl::StatusOr<DecisionPtr> Begin(const AllocateCall& call);
  absl::StatusOr<DecisionPtr> Hold(const AllocateCall& call, Decision decision);
  absl::StatusOr<DecisionPtr> Allocate(const AllocateCall& call,
                                       const DecidingPolicies& policies,
                                       Budget& budget);

  // What an event changed besides its own job.
  struct CommitFact {
    bool as_decided = false;
    std::vector<JobKey> disputed;
  };
  // Error: INVALID_ARGUMENT (bitmap, units, time).
  absl::StatusOr<CommitFact> Apply(EventKind kind, const v1::Event& event);

  std::vector<JobKey> AdvanceTo(TimeMs now_ms);
  // REQUIRES a machine with a room.
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction);

  // Puts back what a store has, on a cluster that is new. capacity: of the
  // names in bitmap order. Error: INVALID_ARGUMENT.
  absl::Status RestoreTable(const std::string& hostlist,
                            std::span<const Units> capacity);
  void RestoreHolding(Holding holding);

 private:
  absl::StatusOr<DecisionPtr> Named(absl::StatusOr<DecisionPtr> answer) const;

  std::string name_;
  std::shared_ptr<const NodeTable> table_;
  Allocator allocator_;
};

v1::AllocateReply EncodeDecision(const Decision& decision,
                                 const NodeTable& table);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_SERVED_CLUSTER_H_
