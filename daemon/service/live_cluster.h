// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_LIVE_CLUSTER_H_
#define COOLSPAN_SERVICE_LIVE_CLUSTER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "service/cluster.h"
#include "service/event_queues.h"

namespace coolspan {

// A cluster on the real clock: serialises its calls and orders its events.
// Thread-safe.
class LiveCluster {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  LiveCluster(std::string name, std::shared_ptr<const Machine> machine,
              std::shared_ptr<const Policy> policy);

  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // Errors: Cluster::Allocate's; FAILED_PRECONDITION (another epoch, a queue
  // that a later Sync replaced); UNAVAILABLE (events up to after_sequence did
  // not come before the deadline).
  absl::StatusOr<v1::AllocateReply> Allocate(
      const v1::AllocateRequest& request, Deadline deadline);
  absl::StatusOr<v1::EventReply> Apply(EventKind kind, const v1::Event& event);

 private:
  absl::Status CheckEpoch(const std::string& epoch) const;

  mutable std::mutex mutex_;
  std::condition_variable event_applied_;
  Cluster cluster_;
  EventQueues queues_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_LIVE_CLUSTER_H_
