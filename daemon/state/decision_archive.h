// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_DECISION_ARCHIVE_H_
#define COOLSPAN_STATE_DECISION_ARCHIVE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/choice_cost.h"
#include "core/ledger.h"
#include "core/types.h"

namespace coolspan {

// The start of a job; unique are cluster, job and started_ms together.
struct StoredStart {
  JobKey job;
  TimeMs started_ms = 0;   // the client's clock
  TimeMs recorded_ms = 0;  // the daemon's clock
  std::string nodes;       // hostlist
  std::string verdict;
  std::string reason;
  std::string decision_id;  // empty: none
  // The number of the array task, or of the component, in the array or
  // heterogeneous job of this id.
  struct Member {
    std::uint32_t of_job = 0;
    std::uint32_t number = 0;
    friend bool operator==(const Member&, const Member&) = default;
  };
  std::optional<Member> array_task;
  std::optional<Member> het_component;
  std::optional<AdviceCost> advice;
  TimeMs ended_ms = 0;            // the client's clock; 0: not known
  std::int64_t submitted_s = 0;   // since 1970; 0: not known
  std::int64_t time_limit_s = 0;  // 0: not known or none

  friend bool operator==(const StoredStart&, const StoredStart&) = default;
};

struct StoredDecision {
  std::string id;  // unique in its cluster
  JobKey job;
  std::uint64_t attempt = 0;
  TimeMs decided_ms = 0;   // the cluster's clock
  TimeMs recorded_ms = 0;  // the daemon's clock
  bool placed = false;
  std::string nodes;  // hostlist
  std::string policy;
  std::string ordering;
  std::string rule;  // what selected the policy; empty: the daemon's default
  std::string why;
  std::vector<std::pair<std::string, std::string>> facts;
  bool stopped_early = false;
  double elapsed_us = 0;
  std::uint32_t available = 0;
  std::string outcome;
  std::string committed_nodes;  // hostlist, if other nodes were committed
  std::string mode = {};

  friend bool operator==(const StoredDecision&,
                         const StoredDecision&) = default;
};

// The starts of one job.
struct StartQuery {
  enum class By { kJob, kArrayTask, kHetComponent };
  By by = By::kJob;
  std::uint32_t job_id = 0;  // of the job, array or heterogeneous job
  std::uint32_t number = 0;  // of the array task or component
};

// The end of a job's last start.
struct StoredEnd {
  JobKey job;
  TimeMs ended_ms = 0;  // the client's clock
};

// Starts by the time at which they happened, in pages.
struct HistoryQuery {
  TimeMs since_ms = 0;
  TimeMs until_ms = 0;      // exclusive; 0: all
  std::uint64_t after = 0;  // StoredHistory::next of the page before; 0: none
};
struct StoredHistory {
  std::vector<StoredStart> starts;  // as recorded, oldest first
  std::uint64_t next = 0;           // 0: no further page
};

// Update of a decision's outcome.
struct StoredOutcome {
  std::string decision_id;
  std::string outcome;
  std::string committed_nodes;
};

// What one event of a cluster adds. The members are applied in the order of
// their declaration.
struct ArchiveChange {
  std::string cluster;
  // Of a cluster that is removed, and nothing else: for BeginRemoval, not for
  // Write.
  bool is_removed = false;
  std::vector<StoredDecision> decisions = {};
  std::vector<StoredOutcome> outcomes = {};
  std::vector<StoredStart> starts = {};  // known ones are not replaced
  std::vector<StoredEnd> ends = {};      // those of unknown starts are dropped

  bool empty() const {
    return !is_removed && decisions.empty() && outcomes.empty() &&
           starts.empty() && ends.empty();
  }
};

// What an archive occupies, and what has happened to it.
struct ArchiveCondition {
  std::uint64_t bytes = 0;      // on the disk
  std::uint64_t max_bytes = 0;  // 0: no limit
  // Files that were found corrupt while the archive was in use and set aside,
  // with the reason, oldest first.
  std::vector<std::string> set_aside = {};
};

// The history of decisions and job starts, for explain and history; a daemon
// can go on without it. Write, Forget and the removal of clusters
// must not be called concurrently; the other functions are thread-safe.
class DecisionArchive {
 public:
  virtual ~DecisionArchive() = default;

  // Applies the changes in order, all or none, and forgets the oldest decisions
  // and starts if the archive would exceed its limit. On return they survive
  // the end of this process, for any reason; a crash of the host may take the
  // last ones. An archive that proves corrupt is set aside, and the changes
  // written to an empty one. Errors: UNAVAILABLE (no space, no permission,
  // busy; may be retried), DATA_LOSS (corrupt, and could not be set aside).
  virtual absl::Status Write(std::span<const ArchiveChange> changes) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<StoredDecision>> DecisionsOf(
      const std::string& cluster, std::uint32_t job_id, std::size_t limit) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<StoredStart>> StartsOf(
      const std::string& cluster, const StartQuery& query,
      std::size_t limit) = 0;
  // The latest start of each of the runs, in their order; runs without one are
  // omitted.
  virtual absl::StatusOr<std::vector<StoredStart>> LatestStarts(
      const std::string& cluster, std::span<const JobKey> runs) = 0;
  // The last RecentStarts::kMax starts on nodes, oldest first. Starts before
  // the last 10,000 of all clusters are omitted.
  virtual absl::StatusOr<std::vector<StoredStart>> RecentStartsOf(
      const std::string& cluster) = 0;
  virtual absl::StatusOr<StoredHistory> History(const std::string& cluster,
                                                const HistoryQuery& query,
                                                std::size_t limit) = 0;
  // When the newest decision or start was recorded; 0: there is none.
  virtual absl::StatusOr<TimeMs> LastRecorded() = 0;
  // Deletes the oldest decisions and starts, at most limit of each, recorded
  // before the time. Returns the larger of the two numbers.
  virtual absl::StatusOr<std::size_t> Forget(TimeMs recorded_before_ms,
                                             std::size_t limit) = 0;
  // Notes that all decisions and starts of a cluster are to be deleted, if need
  // be by a later process.
  virtual absl::Status BeginRemoval(const std::string& cluster) = 0;
  // Deletes those of the noted clusters, at most limit of each. Returns the
  // larger of the two numbers; 0: all are deleted, and none is noted any more.
  virtual absl::StatusOr<std::size_t> ContinueRemovals(std::size_t limit) = 0;
  virtual ArchiveCondition Condition() const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_DECISION_ARCHIVE_H_
