// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_LEDGER_H_
#define COOLSPAN_CORE_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/availability.h"
#include "core/copy_on_write.h"
#include "core/types.h"

namespace coolspan {

// One run of one job: a requeued job has the same id and a higher restart
// count.
struct JobKey {
  std::uint32_t job_id = 0;
  std::uint32_t restart = 0;

  friend bool operator==(const JobKey&, const JobKey&) = default;
};

// The nodes of one job.
struct Holding {
  JobKey job;
  std::uint64_t attempt = 0;
  bool committed = false;  // else tentative, until expires_ms
  bool whole = true;
  bool suspended = false;  // does not count; committed holdings only
  // Some nodes that the resource manager reported for this job count for a
  // newer holding; contested lists those, nodes the others.
  bool disputed = false;
  std::vector<NodeId> nodes;  // ascending
  // As nodes, each from 1 to the node's capacity; empty for whole holdings.
  std::vector<Units> units;
  std::vector<NodeId> contested;  // ascending; empty unless disputed
  TimeMs expires_ms = 0;          // tentative holdings only
  // Share of its time that the job communicates; none: the room's.
  std::optional<float> communication_share;
  TimeMs expected_end_ms = kUnknownEnd;
  // Of the decision that placed the job, also after it has been resized; empty
  // if Slurm chose the nodes.
  std::string decision_id;

  friend bool operator==(const Holding&, const Holding&) = default;
};

// All holdings. Invariant after any sequence of calls: of the holdings that
// count (not suspended; without contested nodes), a node has either exactly one
// whole holding, or shared holdings with a sum of units of at most its
// capacity. REQUIRES of every holding passed in: nodes strictly ascending, all
// below node_count(). Not thread-safe. Memory: about 41 bytes per node besides
// the holdings, 49 with loads.
class Ledger {
 public:
  // capacity: units of each node, by NodeId, each at least 1.
  explicit Ledger(std::vector<Units> capacity);

  NodeCount node_count() const {
    return static_cast<NodeCount>(holders_.size());
  }
  std::uint64_t version() const { return version_; }  // grows with each change
  // The state that decisions read. A copy is an immutable snapshot; later
  // changes of the ledger copy only the blocks they touch.
  const CopyOnWrite<Availability>& availability() const {
    return availability_;
  }
  // The same without the tentative holdings that expire by now_ms and, if
  // specified, without the job's holding: as after Expire and Release.
  CopyOnWrite<Availability> AvailabilityWithout(
      TimeMs now_ms, std::optional<std::uint32_t> job_id) const;
  Units capacity(NodeId node) const { return (*availability_->capacity)[node]; }
  Units free_units(NodeId node) const {
    return availability_->free_units[node];
  }
  const NodeSet& free_whole() const { return availability_->free_whole; }
  const NodeSet& free_shared() const { return availability_->free_shared; }

  // Maintains loads() from now on. communication_share: of jobs without one.
  // REQUIRES a ledger without holdings.
  void TrackLoads(float communication_share);
  // Load of each node by the holdings that count; empty unless tracked.
  const LoadsByNode& loads() const { return availability_->loads; }

  // Whether a holding does not conflict with any that counts.
  bool Fits(const Holding& holding) const;

  // The holding of any run of a job; nullptr if it has none. Valid until the
  // next change.
  const Holding* Find(std::uint32_t job_id) const;
  // The same, unaffected by later changes.
  std::shared_ptr<const Holding> FindShared(std::uint32_t job_id) const;
  // All holdings, by job id.
  std::vector<std::shared_ptr<const Holding>> Holdings() const;
  std::size_t holding_count() const { return holdings_.size(); }

  // Adds a tentative holding. REQUIRES that it Fits and that the job has none.
  void HoldTentatively(Holding holding);

  // Records that the job has these nodes. Never refused: it replaces an earlier
  // holding of the job. Conflicting tentative holdings are dropped first; then
  // conflicting committed holdings lose the contested nodes and are marked
  // disputed (on a shared node the oldest first, as many as necessary). Units
  // above a node's capacity are reduced to it, missing units count as 1.
  // Returns the jobs that became disputed, ascending.
  std::vector<JobKey> RecordCommitted(Holding holding);

  // Suspends or resumes a committed holding. Resuming may conflict with others,
  // as in RecordCommitted; returns the jobs that became disputed.
  std::vector<JobKey> Suspend(std::uint32_t job_id, bool suspended);

  // False if the job has no holding.
  bool Release(std::uint32_t job_id);

  // Drops tentative holdings with expires_ms <= now_ms. Returns their jobs.
  std::vector<JobKey> Expire(TimeMs now_ms);

  // Limits the expiry of tentative holdings to latest_ms.
  void ExpireAtLatest(TimeMs latest_ms);

  // When the next tentative holding expires; nullopt: none is tentative.
  std::optional<TimeMs> next_expiry_ms() const {
    if (expiries_.empty()) return std::nullopt;
    return expiries_.begin()->first;
  }

  // Removes all holdings and sets the capacities.
  void Reset(std::vector<Units> capacity);

 private:
  Units UnitsOn(const Holding& holding, std::size_t index) const {
    return holding.whole ? capacity(holding.nodes[index])
                         : holding.units[index];
  }
  bool FitsOn(NodeId node, bool whole, Units units) const {
    return whole ? holders_[node].empty() : free_units(node) >= units;
  }
  void Count(const Holding& holding);
  void Uncount(const Holding& holding);
  void TakeUnits(const Holding& holding, std::size_t index,
                 AvailabilityEditor& editor);
  void GiveUnits(const Holding& holding, std::size_t index,
                 AvailabilityEditor& editor);
  void AddLoad(const Holding& holding, Units units, float sign, bool is_alone,
               AvailabilityEditor& editor) const;
  void FreeUnits(const Holding& holding, std::size_t index, bool is_alone,
                 AvailabilityEditor& editor) const;
  Holding& MutableHolding(std::uint32_t job_id);
  bool HoldsSameNodes(const Holding& old, const Holding& holding) const;
  void Drop(std::uint32_t job_id);
  std::uint32_t VictimOn(NodeId node) const;
  std::vector<JobKey> Displace(const Holding& newcomer);

  CopyOnWrite<Availability> availability_;
  std::optional<float> tracked_share_;  // of jobs without a share
  // Jobs that count on each node, oldest first.
  std::vector<absl::InlinedVector<std::uint32_t, 1>> holders_;
  absl::flat_hash_map<std::uint32_t, std::shared_ptr<Holding>> holdings_;
  absl::btree_set<std::pair<TimeMs, std::uint32_t>> expiries_;
  std::uint64_t version_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_LEDGER_H_
