// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live_cluster.h"

#include <fmt/format.h>

#include <utility>

#include "service/wire.h"

namespace coolspan {

LiveCluster::LiveCluster(std::string name,
                         std::shared_ptr<const Machine> machine,
                         std::shared_ptr<const Policy> policy)
    : cluster_(std::move(name), std::move(machine), std::move(policy)) {}

absl::Status LiveCluster::CheckEpoch(const std::string& epoch) const {
  if (epoch == cluster_.table().epoch()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("epoch: {} is not that of the node table, {}; Sync first",
                  epoch, cluster_.table().epoch()));
}

absl::StatusOr<v1::SyncReply> LiveCluster::Sync(
    const v1::SyncRequest& request) {
  const std::lock_guard lock(mutex_);
  auto disagreed = cluster_.Sync(request);
  if (!disagreed.ok()) return disagreed.status();
  queues_.Restart(request.client_id(), request.sequence());
  v1::SyncReply reply;
  reply.set_epoch(cluster_.table().epoch());
  reply.set_unknown_nodes(cluster_.table().unknown_count());
  for (const JobKey job : *disagreed) *reply.add_disagreed() = EncodeJob(job);
  return reply;
}

absl::StatusOr<v1::AllocateReply> LiveCluster::Allocate(
    const v1::AllocateRequest& request, Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool in_time = event_applied_.wait_until(lock, deadline, [&] {
    return queues_.Reached(request.client_id(), request.after_sequence()) ||
           queues_.IsClosed(request.client_id()) ||
           request.epoch() != cluster_.table().epoch();
  });
  absl::Status status = CheckEpoch(request.epoch());
  if (!status.ok()) return status;
  if (queues_.IsClosed(request.client_id())) {
    return absl::FailedPreconditionError(
        "client_id: a later Sync replaced this client's queue; Sync first");
  }
  if (!in_time) {
    return absl::UnavailableError(
        fmt::format("events up to {} did not come before the deadline",
                    request.after_sequence()));
  }
  Budget budget(Budget::kUnlimited, [deadline] {
    return std::chrono::steady_clock::now() >= deadline;
  });
  auto decision = cluster_.Allocate(request, budget);
  if (!decision.ok()) return decision.status();
  return EncodeDecision(*decision, cluster_.table(), /*with_why=*/true);
}

absl::StatusOr<v1::EventReply> LiveCluster::Apply(EventKind kind,
                                                  const v1::Event& event) {
  const std::lock_guard lock(mutex_);
  absl::Status status = CheckEpoch(event.epoch());
  if (!status.ok()) return status;
  v1::EventReply reply;
  switch (queues_.Find(event.client_id(), event.sequence())) {
    case EventQueues::Place::kSeen:
      return reply;
    case EventQueues::Place::kClosed:
      reply.set_sync_wanted(true);
      return reply;
    case EventQueues::Place::kGap:
      return absl::OutOfRangeError(fmt::format(
          "sequence: {} of client {} is past the next one; send the events in "
          "order, or Sync",
          event.sequence(), event.client_id()));
    case EventQueues::Place::kNext:
      break;
  }
  auto stated = cluster_.Apply(kind, event);
  if (!stated.ok()) return stated.status();
  queues_.Advance(event.client_id(), event.sequence());
  event_applied_.notify_all();
  reply.set_as_decided(stated->as_decided);
  reply.set_sync_wanted(!stated->disputed.empty());
  return reply;
}

}  // namespace coolspan
