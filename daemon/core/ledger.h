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

// What one job holds.
struct Holding {
  JobKey job;
  std::uint64_t attempt = 0;
  bool committed = false;  // else tentative, until expires_ms
  bool whole = true;
  bool suspended = false;  // marked, and does not count; committed ones only
  // Part of what the resource manager said this job has is counted for a newer
  // holding; contested lists those nodes, nodes the others.
  bool disputed = false;
  std::vector<NodeId> nodes;  // ascending
  // As nodes, each from 1 to the node's capacity; empty for whole holdings.
  std::vector<Units> units;
  std::vector<NodeId> contested;  // ascending; empty unless disputed
  TimeMs expires_ms = 0;          // tentative holdings only
  // Share of its time that the job communicates; none: the room's.
  std::optional<float> communication_share;
  std::string decision_id;  // empty where Slurm chose by itself

  friend bool operator==(const Holding&, const Holding&) = default;
};

// Who holds what. Invariant, whatever is called in whatever order: of the
// holdings that count (not suspended; contested nodes left out) a node has
// either one whole holding and no other, or shared ones whose units sum to no
// more than its capacity. REQUIRES of every holding handed in: nodes ascending,
// none twice, all below node_count(). Not thread-safe; it has one writer. About
// 33 bytes a node besides the holdings, 41 with loads.
class Ledger {
 public:
  // capacity: units of each node, by NodeId, each at least 1.
  explicit Ledger(std::vector<Units> capacity);

  NodeCount node_count() const {
    return static_cast<NodeCount>(holders_.size());
  }
  std::uint64_t version() const { return version_; }  // grows with each change
  // What decisions read. A copy is a snapshot: it stays as it is, and costs the
  // ledger's next changes what they touch.
  const CopyOnWrite<Availability>& availability() const {
    return availability_;
  }
  // The same without the tentative holdings that expire by now_ms and without
  // that of the job, if one is given: as Expire and Release would leave it.
  CopyOnWrite<Availability> AvailabilityWithout(
      TimeMs now_ms, std::optional<std::uint32_t> job_id) const;
  Units capacity(NodeId node) const { return (*availability_->capacity)[node]; }
  Units free_units(NodeId node) const {
    return availability_->free_units[node];
  }
  const NodeSet& free_whole() const { return availability_->free_whole; }
  const NodeSet& free_shared() const { return availability_->free_shared; }

  // Keeps loads() from now on; of jobs that say nothing, that share of the
  // time is communication. REQUIRES a ledger without holdings.
  void TrackLoads(float communication_share);
  // What those that count use of each node; empty unless tracked.
  const LoadsByNode& loads() const { return availability_->loads; }

  // Whether a holding contradicts none that counts.
  bool Fits(const Holding& holding) const;

  // The holding of a job, whichever run of it; nullptr if it has none. Valid
  // until the next change.
  const Holding* Find(std::uint32_t job_id) const;
  // The same to keep: later changes leave it as it is.
  std::shared_ptr<const Holding> FindShared(std::uint32_t job_id) const;
  // All holdings, by job id.
  std::vector<std::shared_ptr<const Holding>> Holdings() const;
  std::size_t holding_count() const { return holdings_.size(); }

  // Adds a tentative holding. REQUIRES that it Fits and that the job has none.
  void HoldTentatively(Holding holding);

  // States a fact: the job has these nodes. Never refused: an earlier holding
  // of the job is replaced, others that contradict it lose the contested nodes
  // and are marked disputed (committed ones; of several on a shared node the
  // ones longest there, as many as it takes) or dropped (tentative ones, these
  // first). Units beyond a node's capacity are cut to it, missing ones count 1.
  // Returns the jobs of the committed ones, ascending.
  std::vector<JobKey> RecordCommitted(Holding holding);

  // Marks or unmarks a committed holding; resuming may contradict others, as
  // RecordCommitted does.
  std::vector<JobKey> Suspend(std::uint32_t job_id, bool suspended);

  // False if the job has no holding.
  bool Release(std::uint32_t job_id);

  // Drops tentative holdings with expires_ms <= now_ms. Returns their jobs.
  std::vector<JobKey> Expire(TimeMs now_ms);

  // Lets tentative holdings that would expire later do so at latest_ms.
  void ExpireAtLatest(TimeMs latest_ms);

  // When the next tentative holding expires.
  std::optional<TimeMs> next_expiry_ms() const {
    if (expiries_.empty()) return std::nullopt;
    return expiries_.begin()->first;
  }

  // Forgets everything and takes other capacities.
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
  bool KeepsItsNodes(const Holding& old, const Holding& holding) const;
  void Drop(std::uint32_t job_id);
  std::uint32_t VictimOn(NodeId node) const;
  std::vector<JobKey> PushAside(const Holding& newcomer);

  CopyOnWrite<Availability> availability_;
  std::optional<float> tracked_share_;  // of jobs that say nothing
  // Jobs that count on each node, longest there first.
  std::vector<absl::InlinedVector<std::uint32_t, 1>> holders_;
  absl::flat_hash_map<std::uint32_t, std::shared_ptr<Holding>> holdings_;
  absl::btree_set<std::pair<TimeMs, std::uint32_t>> expiries_;
  std::uint64_t version_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_LEDGER_H_
