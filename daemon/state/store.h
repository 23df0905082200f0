// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_STORE_H_
#define COOLSPAN_STATE_STORE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/ledger.h"
#include "core/types.h"

namespace coolspan {

// A holding as it is kept. Nodes are kept by name, in hostlists, so that a
// store outlives changes of the machine file.
struct StoredHolding {
  JobKey job;
  std::uint64_t attempt = 0;
  bool committed = false;
  bool whole = true;
  bool suspended = false;
  bool disputed = false;
  std::string nodes;         // hostlist
  std::vector<Units> units;  // as nodes; empty for whole holdings
  std::string contested;     // hostlist
  TimeMs expires_ms = 0;
  std::string decision_id;
  std::optional<float> communication_share;  // none: the room's

  friend bool operator==(const StoredHolding&, const StoredHolding&) = default;
};

// How far a client's queue of events has been applied.
struct StoredQueue {
  std::string client_id;
  std::uint64_t sequence = 0;
  bool closed = false;  // a later Sync replaced it

  friend bool operator==(const StoredQueue&, const StoredQueue&) = default;
};

struct StoredCluster {
  std::string name;
  std::string node_table;       // hostlist, in bitmap order
  std::vector<Units> capacity;  // of the names in bitmap order
  TimeMs last_sync_ms = 0;
  std::vector<StoredQueue> queues;
  std::vector<StoredHolding> holdings;  // by job id

  friend bool operator==(const StoredCluster&, const StoredCluster&) = default;
};

struct StoredDecision {
  std::string id;  // unique in its cluster
  JobKey job;
  std::uint64_t attempt = 0;
  TimeMs decided_ms = 0;   // the cluster's clock
  TimeMs recorded_ms = 0;  // the daemon's
  bool placed = false;
  std::string nodes;  // hostlist
  std::string policy;
  std::string ordering;
  std::string rule;  // what named the policy; empty: nothing but the daemon
  std::string why;
  std::vector<std::pair<std::string, std::string>> facts;
  bool stopped_early = false;
  double elapsed_us = 0;
  std::uint32_t available = 0;
  std::string outcome;
  std::string committed_nodes;  // hostlist, where other nodes were committed

  friend bool operator==(const StoredDecision&,
                         const StoredDecision&) = default;
};

// What became of a decision.
struct StoredOutcome {
  std::string decision_id;
  std::string outcome;
  std::string committed_nodes;
};

// What one happening changes in one cluster. Parts are applied in the order in
// which they stand here.
struct StoredChange {
  std::string cluster;
  std::optional<StoredCluster> synced;  // replaces all but the decisions
  std::vector<StoredHolding> held;      // added, or replaced by job id
  std::vector<std::uint32_t> gone;      // job ids
  std::optional<StoredQueue> queue;
  std::vector<StoredDecision> decisions;
  std::vector<StoredOutcome> outcomes;
};

// Keeps what a restarted daemon needs. Write has one caller at a time; the
// other calls may come from any thread.
class Store {
 public:
  virtual ~Store() = default;

  virtual absl::StatusOr<std::vector<StoredCluster>> Load() = 0;
  // In order, all or nothing, and durable when it returns. Errors: UNAVAILABLE
  // (no space, no permission, busy; may work later), DATA_LOSS (corrupt).
  virtual absl::Status Write(std::span<const StoredChange> changes) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<StoredDecision>> DecisionsOf(
      const std::string& cluster, std::uint32_t job_id, std::size_t limit) = 0;
  // Forgets decisions recorded before; at most limit, the oldest. Returns how
  // many. Counts as a Write.
  virtual absl::StatusOr<std::size_t> ForgetDecisions(TimeMs recorded_before_ms,
                                                      std::size_t limit) = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_STORE_H_
