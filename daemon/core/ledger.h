// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_LEDGER_H_
#define COOLSPAN_CORE_LEDGER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/node_set.h"
#include "core/types.h"

namespace coolspan {

// One run of one job: a requeued job has the same id and a higher restart
// count.
struct JobKey {
  std::uint32_t job_id = 0;
  std::uint32_t restart = 0;

  friend bool operator==(const JobKey&, const JobKey&) = default;
};

// What one job holds.
struct Holding {
  JobKey job;
  std::uint32_t attempt = 0;
  bool committed = false;  // else tentative, until expires_ms
  bool whole = true;
  bool suspended = false;  // marked, and does not count
  // Part of what the resource manager said this job has is counted for a newer
  // holding; contested lists those nodes, nodes the others.
  bool disputed = false;
  std::vector<NodeId> nodes;      // ascending
  std::vector<Units> units;       // as nodes; empty for whole holdings
  std::vector<NodeId> contested;  // ascending; empty unless disputed
  TimeMs expires_ms = 0;          // tentative holdings only
  std::string decision_id;        // empty where Slurm chose by itself

  friend bool operator==(const Holding&, const Holding&) = default;
};

// Who holds what. Invariant, whatever is called in whatever order: of the
// holdings that count (not suspended; contested nodes left out) a node has
// either one whole holding and no other, or shared ones whose units sum to no
// more than its capacity. Not thread-safe; it has one writer.
class Ledger {
 public:
  // capacity: units of each node, by NodeId, each at least 1.
  explicit Ledger(std::vector<Units> capacity);

  NodeCount node_count() const {
    return static_cast<NodeCount>(capacity_.size());
  }
  std::uint64_t version() const { return version_; }  // grows with each change
  Units capacity(NodeId node) const { return capacity_[node]; }
  Units free_units(NodeId node) const { return free_units_[node]; }
  std::span<const Units> free_units() const { return free_units_; }
  // Nodes nobody holds any unit of; nodes with at least a unit left.
  const NodeSet& free_whole() const { return free_whole_; }
  const NodeSet& free_shared() const { return free_shared_; }

  // The holding of a job, whichever run of it; nullptr if it has none.
  const Holding* Find(std::uint32_t job_id) const;
  // All holdings, by job id.
  std::vector<const Holding*> Holdings() const;
  std::size_t holding_count() const { return holdings_.size(); }

  // Adds a tentative holding, replacing a tentative one of the same job.
  // REQUIRES that it fits in what is free and that the job has no committed
  // holding: the caller has just chosen it so.
  void HoldTentatively(Holding holding);

  // States a fact: the job has these nodes. Never refused: an earlier holding
  // of the job is replaced, others that contradict it lose the contested nodes
  // and are marked disputed (committed ones) or dropped (tentative ones).
  // Returns the jobs of the committed ones, ascending.
  std::vector<JobKey> State(Holding holding);

  // Marks or unmarks; resuming may contradict others, as State does.
  std::vector<JobKey> Suspend(std::uint32_t job_id, bool suspended);

  // False if the job has no holding.
  bool Release(std::uint32_t job_id);

  // Drops tentative holdings with expires_ms <= now_ms. Returns their jobs.
  std::vector<JobKey> Expire(TimeMs now_ms);

  // Forgets everything and takes other capacities.
  void Reset(std::vector<Units> capacity);

 private:
  void Count(const Holding& holding);
  void Uncount(const Holding& holding);
  void TakeUnits(NodeId node, Units units);
  void GiveUnits(NodeId node, Units units);
  void RefreshFree(NodeId node);
  std::vector<JobKey> PushAside(const Holding& newcomer);

  std::vector<Units> capacity_;
  std::vector<Units> free_units_;
  // Jobs that count on each node.
  std::vector<absl::InlinedVector<std::uint32_t, 1>> holders_;
  NodeSet free_whole_;
  NodeSet free_shared_;
  absl::flat_hash_map<std::uint32_t, Holding> holdings_;
  absl::btree_set<std::pair<TimeMs, std::uint32_t>> expiries_;
  std::uint64_t version_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_LEDGER_H_
