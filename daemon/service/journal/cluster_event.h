// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_CLUSTER_EVENT_H_
#define COOLSPAN_SERVICE_JOURNAL_CLUSTER_EVENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/allocator.h"
#include "core/ledger.h"
#include "service/clusters/served_cluster.h"
#include "service/codec/event_queues.h"
#include "service/codec/node_table.h"

namespace coolspan {

// What became of a decision, in the wire's words.
struct Outcome {
  std::string decision_id;
  const char* word;
  std::vector<NodeId> committed;  // where other nodes were committed
};

// A job's holding after what happened; nullopt: it has none.
struct JobAfter {
  std::uint32_t job_id = 0;
  std::optional<Holding> holding;
};

struct Decided {
  Decision decision;
  double elapsed_us = 0;
  std::string ordering;
  std::string rule;  // PolicyChoice's
  std::string partition;
  std::string user;
};
struct CommitFact {
  EventKind kind = EventKind::kCommit;
  JobKey job;
  bool as_decided = false;
  std::size_t disputed = 0;  // jobs it contradicted
};
struct Expired {
  JobKey job;
};
struct Synced {
  std::shared_ptr<const NodeTable> table;
  std::vector<Units> capacity;  // by NodeId
  std::size_t disagreed = 0;
  EventQueues queues;
};

// One thing that happened in a live cluster, with all that others need to
// know: copies, that no later change touches.
struct ClusterEvent {
  std::string cluster;
  TimeMs at_ms = 0;  // the cluster's clock
  std::variant<Decided, CommitFact, Expired, Synced> what;
  std::vector<JobAfter> jobs;  // those it changed; after a Sync, all
  std::vector<Outcome> outcomes;
  std::optional<QueueMark> queue;  // the event's
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_CLUSTER_EVENT_H_
