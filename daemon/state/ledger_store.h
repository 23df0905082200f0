// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_LEDGER_STORE_H_
#define COOLSPAN_STATE_LEDGER_STORE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/ledger.h"
#include "core/types.h"

namespace coolspan {

// Nodes are stored by name, in hostlists, so that a store remains valid when
// the machine file changes.
struct StoredHolding {
  JobKey job;
  std::uint64_t attempt = 0;
  bool committed = false;
  bool whole = true;
  bool suspended = false;
  bool disputed = false;
  std::string nodes;         // hostlist
  std::vector<Units> units;  // in the order of nodes; empty if whole
  std::string contested;     // hostlist
  TimeMs expires_ms = 0;
  std::string decision_id;
  std::optional<float> communication_share;  // nullopt: the machine's default
  TimeMs expected_end_ms = kUnknownEnd;

  friend bool operator==(const StoredHolding&, const StoredHolding&) = default;
};

// Progress of a client's event queue.
struct StoredQueue {
  std::string client_id;
  std::uint64_t sequence = 0;  // of the last applied event
  bool closed = false;         // a later Sync replaced it

  friend bool operator==(const StoredQueue&, const StoredQueue&) = default;
};

struct StoredCluster {
  std::string name;
  std::string node_table;  // hostlist, in bitmap order
  // In bitmap order; 0: the machine file lacked the node.
  std::vector<Units> capacity;
  TimeMs last_sync_ms = 0;
  std::vector<StoredQueue> queues;
  std::vector<StoredHolding> holdings;  // by job id
  std::string mode = {};                // empty: the client's
  // Changes are missing that an earlier daemon made: no decisions before a
  // Sync, which clears it.
  bool is_incomplete = false;
  // By the daemon's clock, about when the client was last in contact; 0: not
  // known.
  TimeMs heard_ms = 0;

  friend bool operator==(const StoredCluster&, const StoredCluster&) = default;
};

// What a part of the daemon has learned about the machine, to go on with after
// a restart.
struct StoredLearning {
  std::string name;     // of the part; unique
  std::string machine;  // for which it is valid
  TimeMs saved_ms = 0;  // the daemon's clock
  std::string content;  // JSON

  friend bool operator==(const StoredLearning&,
                         const StoredLearning&) = default;
};

// The changes of one cluster's ledger by one event. The members are applied in
// the order of their declaration.
struct LedgerChange {
  std::string cluster;
  // Removes the cluster.
  bool is_removed = false;
  // Replaces all except the mode and heard_ms.
  std::optional<StoredCluster> synced = {};
  std::vector<StoredHolding> held = {};  // added or replaced, by job id
  std::vector<std::uint32_t> gone = {};  // removed, by job id
  std::optional<StoredQueue> queue = {};
  std::optional<std::string> mode = {};
  std::optional<TimeMs> heard_ms = {};
  bool is_incomplete = false;  // true: StoredCluster's is set

  bool empty() const {
    return !is_removed && !synced.has_value() && held.empty() && gone.empty() &&
           !queue.has_value() && !mode.has_value() && !heard_ms.has_value() &&
           !is_incomplete;
  }
};

// Changes of one cluster by the daemon that decides for it in that term.
struct TermChanges {
  std::string cluster;
  std::uint64_t term = 0;
  std::vector<LedgerChange> changes;  // in order
};

// Who holds what: all that a daemon must know to go on after a restart or in
// the place of another. Small, and written before answers leave.
//
// The changes of a cluster carry the term of the daemon that decides for it.
// Once a later term has begun, those of earlier ones fail. In a store of one
// daemon, BeginTerm begins a term of all clusters; in a store of several, each
// cluster has terms of its own, which begin by an election
// (state/leadership.h). The functions may be called concurrently, except Write
// and MakeDurable with themselves.
class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  // Returns a term higher than all before. Errors: UNAVAILABLE; UNIMPLEMENTED
  // (terms begin by an election).
  virtual absl::StatusOr<std::uint64_t> BeginTerm() = 0;
  // Errors: UNAVAILABLE; DATA_LOSS (the message names the invalid entry).
  virtual absl::StatusOr<std::vector<StoredCluster>> Load() = 0;
  // What the store lacks of what earlier daemons wrote, in words; empty:
  // nothing is known to be missing. The clusters are then is_incomplete.
  virtual std::string MissingChanges() const { return ""; }
  // Applies changes, at most one TermChanges of a cluster, and returns a status
  // for each. If it is OK, they survive the end of this process, for any
  // reason. Otherwise the first ones may have been applied, each LedgerChange
  // as a whole; writing all of them again in the same order is right.
  // Errors: ABORTED (a later term has begun), UNAVAILABLE (no space, no
  // permission, busy, no connection; may be retried), INVALID_ARGUMENT (too
  // large for the store), DATA_LOSS (corrupt).
  virtual std::vector<absl::Status> Write(
      std::span<const TermChanges> writes) = 0;
  // Replaces what has the same name. Of the daemon, not of a cluster. Errors:
  // UNAVAILABLE, DATA_LOSS.
  virtual absl::Status SaveLearned(const StoredLearning& learned) = 0;
  // Of all parts, by name. Errors: Load's.
  virtual absl::StatusOr<std::vector<StoredLearning>> LoadLearned() = 0;
  // On return, what was written before survives the crash of the host. Call it
  // from time to time even if nobody waits for that. Error: UNAVAILABLE.
  virtual absl::Status MakeDurable() = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_LEDGER_STORE_H_
