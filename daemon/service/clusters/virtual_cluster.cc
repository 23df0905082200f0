// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/virtual_cluster.h"

#include <fmt/format.h>

#include <utility>

#include "service/clusters/job_mapping.h"
#include "service/codec/pattern_message.h"
#include "service/codec/text_limits.h"

namespace coolspan {
namespace {

// Of a job without nodes, in nodes.
constexpr std::size_t kSizeOfJob = 64;

v1::SessionReply ErrorReply(const absl::Status& status) {
  v1::SessionReply reply;
  reply.mutable_error()->set_code(static_cast<int>(status.code()));
  reply.mutable_error()->set_message(std::string(status.message()));
  return reply;
}

}  // namespace

VirtualCluster::VirtualCluster(std::shared_ptr<const Machine> machine,
                               std::shared_ptr<const DecisionConfig> config,
                               std::function<bool()> is_cancelled)
    : machine_(std::move(machine)),
      config_(std::move(config)),
      is_cancelled_(std::move(is_cancelled)) {}

// No deadline: a virtual cluster's decisions depend on the requests alone.
Budget VirtualCluster::NewBudget() const {
  Budget budget(Budget::kVirtualClock);
  if (is_cancelled_) budget.StopWhen(is_cancelled_);
  return budget;
}

std::optional<v1::SessionReply> VirtualCluster::Answer(
    const v1::SessionRequest& request) {
  v1::SessionReply reply;
  absl::Status status;
  bool is_event = false;
  const auto take = [&status](auto answer, auto* field) {
    status = answer.status();
    if (answer.ok()) *field = *std::move(answer);
  };
  const auto apply = [&](EventKind kind, const v1::Event& event) {
    is_event = true;
    status = Apply(kind, event);
  };
  status = CheckTexts(request);
  if (!status.ok()) return ErrorReply(status);
  switch (request.what_case()) {
    case v1::SessionRequest::kSync:
      take(Sync(request.sync()), reply.mutable_sync());
      break;
    case v1::SessionRequest::kAllocate:
      take(Allocate(request.allocate()), reply.mutable_allocate());
      break;
    case v1::SessionRequest::kPreview:
      take(Preview(request.preview()), reply.mutable_allocate());
      break;
    case v1::SessionRequest::kCommit:
      apply(EventKind::kCommit, request.commit());
      break;
    case v1::SessionRequest::kRelease:
      apply(EventKind::kRelease, request.release());
      break;
    case v1::SessionRequest::kResize:
      apply(EventKind::kResize, request.resize());
      break;
    case v1::SessionRequest::kSuspend:
      apply(EventKind::kSuspend, request.suspend());
      break;
    case v1::SessionRequest::WHAT_NOT_SET:
      status = absl::InvalidArgumentError("empty or unknown message");
      break;
  }
  if (!status.ok()) return ErrorReply(status);
  if (is_event) return std::nullopt;
  return reply;
}

absl::Status VirtualCluster::CheckEpoch(const std::string& epoch) const {
  if (!cluster_.has_value()) {
    return absl::FailedPreconditionError(
        "no node table (expected a Sync as the first message)");
  }
  return cluster_->CheckEpoch(epoch);
}

absl::StatusOr<std::shared_ptr<const Machine>> VirtualCluster::MachineOf(
    const v1::SyncRequest& request) const {
  const Room* room = machine_->room().get();
  if (request.without_room()) {
    if (!request.idle().empty() || request.room_fingerprint() != 0) {
      return absl::InvalidArgumentError(
          "without_room: with idle or room_fingerprint (expected neither)");
    }
    if (room == nullptr) return machine_;
    if (cluster_.has_value()) {
      return absl::InvalidArgumentError(
          "without_room: cannot change after the first Sync");
    }
    return machine_->InRoom(nullptr);
  }
  if (is_without_room_) {
    return absl::InvalidArgumentError(
        "without_room: cannot change after the first Sync");
  }
  if (request.room_fingerprint() != 0 &&
      (room == nullptr || request.room_fingerprint() != room->Fingerprint())) {
    return absl::InvalidArgumentError(fmt::format(
        "room_fingerprint: the daemon's machine {} {} (expected the daemon's "
        "machine file)",
        machine_->name(),
        room == nullptr ? "has no thermal section"
                        : "has another thermal section"));
  }
  if (request.idle().empty()) return machine_;
  if (request.idle() != "on" && request.idle() != "off") {
    return absl::InvalidArgumentError(fmt::format(
        "idle: \"{}\" (expected on, off or empty)", request.idle()));
  }
  const bool idle_on = request.idle() == "on";
  if (room != nullptr && room->idle_on() == idle_on) return machine_;
  if (room == nullptr || cluster_.has_value()) {
    return absl::InvalidArgumentError(
        room == nullptr
            ? "idle: the machine has no thermal section (expected empty)"
            : "idle: cannot change after the first Sync");
  }
  return machine_->WithIdle(idle_on);
}

absl::StatusOr<std::shared_ptr<const Ordering>> VirtualCluster::OrderingOf(
    const v1::SyncRequest& request) const {
  if (request.node_at_rank().empty()) {
    return config_->policies.OrderingOf(request.ordering());
  }
  auto ordering = Ordering::Create(
      request.ordering(), std::vector<NodeId>(request.node_at_rank().begin(),
                                              request.node_at_rank().end()));
  if (!ordering.ok()) return ordering.status();
  return std::make_shared<const Ordering>(*std::move(ordering));
}

absl::StatusOr<std::shared_ptr<const Policy>> VirtualCluster::PolicyOf(
    const v1::PreviewRequest& request) {
  if (request.policy().empty() && request.ordering().empty()) return policy_;
  const std::pair names(request.policy(), request.ordering());
  const auto known = preview_policies_.find(names);
  if (known != preview_policies_.end()) return known->second;
  absl::StatusOr<std::shared_ptr<const Ordering>> ordering = ordering_;
  if (!request.ordering().empty()) {
    ordering = config_->policies.OrderingOf(request.ordering());
  }
  if (!ordering.ok()) return ordering.status();
  auto made = config_->policies.Make(
      request.policy().empty() ? policy_spec_ : request.policy(), machine_,
      *std::move(ordering), span_);
  if (!made.ok()) return made.status();
  if (preview_policies_.size() == kMaxPreviewPolicies) {
    preview_policies_.clear();
  }
  return preview_policies_.emplace(names, *std::move(made)).first->second;
}

absl::StatusOr<v1::SyncReply> VirtualCluster::Sync(
    const v1::SyncRequest& request) {
  if (request.clock() != v1::CLOCK_VIRTUAL) {
    return absl::InvalidArgumentError(
        "clock: CLOCK_REAL in a Session (expected CLOCK_VIRTUAL)");
  }
  auto machine = MachineOf(request);
  if (!machine.ok()) return machine.status();
  auto ordering = OrderingOf(request);
  if (!ordering.ok()) return ordering.status();
  auto policy = config_->policies.Make(request.policy(), *machine, *ordering,
                                       request.span());
  if (!policy.ok()) return policy.status();
  std::shared_ptr<const Policy> made = *std::move(policy);
  ServedCluster fresh(request.cluster(), *machine);
  ServedCluster& cluster = cluster_.has_value() ? *cluster_ : fresh;
  auto disagreed = cluster.Sync(request);
  if (!disagreed.ok()) return disagreed.status();
  if (!cluster_.has_value()) cluster_ = std::move(fresh);
  sizes_.clear();
  size_ = 0;
  for (const auto& held : cluster_->allocator().ledger().Holdings()) {
    NoteSize(held->job.job_id);
  }
  preview_policies_.clear();
  is_without_room_ = request.without_room();
  machine_ = *std::move(machine);
  ordering_ = *std::move(ordering);
  policy_ = std::move(made);
  policy_spec_ = request.policy();
  span_ = request.span();
  v1::SyncReply reply;
  reply.set_epoch(cluster_->table().epoch());
  reply.set_unknown_nodes(cluster_->table().unknown_count());
  for (const JobKey job : *disagreed) {
    v1::Job& other = *reply.add_disagreed();
    other.set_job_id(job.job_id);
    other.set_restart(job.restart);
  }
  return reply;
}

absl::StatusOr<v1::AllocateReply> VirtualCluster::Allocate(
    const v1::AllocateRequest& request) {
  if (absl::Status status = CheckEpoch(request.epoch()); !status.ok()) {
    return status;
  }
  auto pattern = PatternOf(request);
  if (!pattern.ok()) return pattern.status();
  Budget budget = NewBudget();
  auto call = cluster_->Decode(request, *std::move(pattern));
  if (!call.ok()) return call.status();
  auto decision = cluster_->Allocate(*call, {*policy_}, budget);
  if (!decision.ok()) return decision.status();
  v1::AllocateReply reply = EncodeDecision(**decision, cluster_->table());
  AddRankBits(*machine_, call->request, (*decision)->allocation.nodes,
              cluster_->table(), Budget(kRankBitsWork), reply);
  return reply;
}

absl::StatusOr<v1::AllocateReply> VirtualCluster::Preview(
    const v1::PreviewRequest& request) {
  absl::Status status = CheckEpoch(request.request().epoch());
  if (!status.ok()) return status;
  auto policy = PolicyOf(request);
  if (!policy.ok()) return policy.status();
  auto pattern = PatternOf(request.request());
  if (!pattern.ok()) return pattern.status();
  Budget budget = NewBudget();
  auto call = cluster_->Decode(request.request(), *std::move(pattern));
  if (!call.ok()) return call.status();
  auto decision = cluster_->allocator().Preview(*call, {**policy}, budget);
  if (!decision.ok()) return decision.status();
  v1::AllocateReply reply = EncodeDecision(*decision, cluster_->table());
  AddRankBits(*machine_, call->request, decision->allocation.nodes,
              cluster_->table(), Budget(kRankBitsWork), reply);
  return reply;
}

absl::Status VirtualCluster::Apply(EventKind kind, const v1::Event& event) {
  if (absl::Status status = CheckEpoch(event.epoch()); !status.ok()) {
    return status;
  }
  const bool may_hold =
      kind == EventKind::kCommit || kind == EventKind::kResize;
  if (absl::Status status = may_hold ? CheckSize() : absl::OkStatus();
      !status.ok()) {
    return status;
  }
  absl::Status status = cluster_->Apply(kind, event).status();
  NoteSize(event.job().job_id());
  return status;
}

absl::Status VirtualCluster::CheckSize() const {
  // Of all jobs on all nodes together.
  constexpr std::size_t kMaxHoldingsOfNode = 4;
  const std::size_t nodes = machine_->node_count();
  const std::size_t limit = kMaxHoldingsOfNode * (nodes + nodes * kSizeOfJob);
  if (size_ <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "{} jobs of the session hold too many nodes (expected that a node is "
      "held by few jobs at a time); release some",
      sizes_.size()));
}

void VirtualCluster::NoteSize(std::uint32_t job_id) {
  const Holding* const held = cluster_->allocator().ledger().Find(job_id);
  const auto known = sizes_.find(job_id);
  if (known != sizes_.end()) {
    size_ -= known->second;
    sizes_.erase(known);
  }
  if (held == nullptr || !held->committed) return;
  const std::size_t size =
      kSizeOfJob + held->nodes.size() + held->contested.size();
  sizes_.emplace(job_id, size);
  size_ += size;
}

}  // namespace coolspan
