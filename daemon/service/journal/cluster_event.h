// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_CLUSTER_EVENT_H_
#define COOLSPAN_SERVICE_JOURNAL_CLUSTER_EVENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/placement_mode.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "core/choice_cost.h"
#include "core/ledger.h"
#include "policy/reference_policies.h"
#include "service/codec/event_kind.h"
#include "service/codec/event_queues.h"
#include "service/codec/node_table.h"
#include "state/ledger_store.h"
#include "state/tenure.h"

namespace coolspan {

// Outcome of a decision: the words of DecisionRecord.outcome.
struct Outcome {
  std::string decision_id;
  const char* word;
  std::vector<NodeId> committed;  // if other nodes were committed
};

// A job's holding after the event; nullptr: none.
struct JobAfter {
  std::uint32_t job_id = 0;
  std::shared_ptr<const Holding> holding;
};

// Input for comparing a decision with the reference policies.
struct ComparisonBasis {
  ReferencePolicies references;
  MachineSnapshot snapshot;
  AllocateCall call;
};

struct Decided {
  DecisionPtr decision;
  double elapsed_us = 0;
  std::string ordering;
  std::string rule;  // PolicyChoice's
  PlacementMode mode = PlacementMode::kEnforce;
  std::string partition;
  std::string user;
  std::shared_ptr<const ComparisonBasis> basis;  // nullptr: not compared
  bool is_overloaded = false;  // not compared: too many are queued
  // Set by the journal, once for log, watchers and store: the facts of the
  // decision and its comparison, the nodes, and WhyText.
  Trace trace;
  std::string hostlist;
  std::string why;
};
// A commit, release, resize or suspension of a job.
struct JobEvent {
  EventKind kind = EventKind::kCommit;
  JobKey job;
  bool as_decided = false;
  std::size_t disputed = 0;  // number of jobs that became disputed
  TimeMs started_ms = 0;     // a commit's, by the client's clock
  std::optional<v1::JobStart> start =
      {};  // a commit's, if the client reports it
  std::shared_ptr<const Advice> advice = nullptr;  // nullptr: not compared
  std::optional<AdviceCost> cost = {};  // of advice; set by the journal
};
struct Expired {
  JobKey job;
};
struct Synced {
  std::shared_ptr<const NodeTable> table;
  std::shared_ptr<const std::vector<Units>> capacity;  // by NodeId
  std::size_t disagreed = 0;
  EventQueues queues;
  std::vector<JobEvent> starts = {};  // of commits that were not received
  NodeSet unavailable = {};
};

struct AvailabilityChanged {
  NodeSet unavailable;
};

// The cluster was removed: on request, or because it expired.
struct Removed {
  std::string why;
};

struct ModeSet {
  std::optional<PlacementMode> mode;  // nullopt: the client's
};

// One event of a live cluster, with all that log, watchers and store need.
// Independent of later changes.
struct ClusterEvent {
  std::string cluster;
  // In which it happened; nullptr: of the daemon (Stores.term).
  std::shared_ptr<Tenure> tenure = nullptr;
  TimeMs at_ms = 0;  // the cluster's clock
  std::variant<Decided, JobEvent, Expired, Synced, ModeSet, AvailabilityChanged,
               Removed>
      what;
  std::vector<JobAfter> jobs;  // changed jobs; for a Sync, all jobs
  std::vector<Outcome> outcomes;
  std::optional<QueueMark> queue;  // the event's
};

// What the ledger's store needs of an event.
struct LedgerEvent {
  // What a Sync replaces the cluster with.
  struct Roster {
    std::shared_ptr<const NodeTable> table;
    std::shared_ptr<const std::vector<Units>> capacity;  // by NodeId
    EventQueues queues;
    TimeMs at_ms = 0;
  };
  std::string cluster;
  std::shared_ptr<Tenure> tenure = nullptr;  // ClusterEvent's
  std::optional<Roster> synced = {};
  std::vector<JobAfter> jobs = {};
  std::optional<QueueMark> queue = {};
  std::optional<ModeSet> mode = {};
  bool is_removed = false;
  std::optional<TimeMs> heard_ms = {};
  bool is_incomplete = false;
  std::optional<StoredLearning> learned = {};  // cluster: empty
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_CLUSTER_EVENT_H_
