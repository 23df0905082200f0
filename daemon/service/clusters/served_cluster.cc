// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/served_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/file_error.h"
#include "service/codec/wire.h"

namespace coolspan {

ServedCluster::ServedCluster(std::string name,
                             std::shared_ptr<const Machine> machine)
    : name_(std::move(name)),
      table_(std::make_shared<const NodeTable>()),
      allocator_(std::move(machine)),
      unavailable_(allocator_.machine().node_count()) {}

absl::Status ServedCluster::CheckEpoch(const std::string& epoch) const {
  if (has_table() && epoch == table_->epoch()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("epoch: stale epoch {} (expected \"{}\", or a Sync)",
                  Quoted(epoch), table_->epoch()));
}

absl::StatusOr<std::vector<JobKey>> ServedCluster::Sync(
    const v1::SyncRequest& request) {
  if (absl::Status status = CheckTime(request.now_ms()); !status.ok()) {
    return status;
  }
  const Machine& machine = allocator_.machine();
  if (request.machine_fingerprint() != 0 &&
      request.machine_fingerprint() != machine.Fingerprint()) {
    return absl::InvalidArgumentError(
        fmt::format("machine_fingerprint: the daemon's machine {} has other "
                    "nodes or distances (expected the daemon's machine file)",
                    machine.name()));
  }
  const std::vector<std::string> hostlists(request.hostlist().begin(),
                                           request.hostlist().end());
  auto table = NodeTable::Create(machine, hostlists);
  if (!table.ok()) return table.status();
  auto capacity =
      DecodeCapacity(request.capacity(), *table, machine.node_count());
  if (!capacity.ok()) return capacity.status();
  std::vector<Allocator::Fact> facts;
  facts.reserve(static_cast<std::size_t>(request.holdings_size()));
  for (const v1::Holding& holding : request.holdings()) {
    auto fact = DecodeHolding(holding, *table);
    if (!fact.ok()) return fact.status();
    if (!fact->nodes.empty()) facts.push_back(*std::move(fact));
  }
  auto unavailable = DecodeUnavailable(request.unavailable(), *table);
  if (!unavailable.ok()) return unavailable.status();
  unavailable_ = *std::move(unavailable);
  table_ = std::make_shared<const NodeTable>(*std::move(table));
  // A real clock may have been ahead temporarily; a virtual one never is.
  if (request.clock() == v1::CLOCK_REAL) allocator_.SetClock(request.now_ms());
  return allocator_.Sync(*std::move(capacity), std::move(facts),
                         request.now_ms());
}

absl::StatusOr<NodeSet> ServedCluster::DecodeUnavailable(
    const std::string& bitmap, const NodeTable& table) const {
  if (bitmap.empty()) return NodeSet(allocator_.machine().node_count());
  std::uint32_t unknown = 0;
  return table.Decode(bitmap, "unavailable", unknown);
}

absl::StatusOr<bool> ServedCluster::SetUnavailable(const std::string& bitmap) {
  auto unavailable = DecodeUnavailable(bitmap, *table_);
  if (!unavailable.ok()) return unavailable.status();
  if (*unavailable == unavailable_) return false;
  unavailable_ = *std::move(unavailable);
  return true;
}

absl::StatusOr<AllocateCall> ServedCluster::Decode(
    const v1::AllocateRequest& request,
    std::shared_ptr<const CommPattern> pattern) const {
  if (absl::Status status = CheckTime(request.now_ms()); !status.ok()) {
    return status;
  }
  AllocateCall call;
  call.job = DecodeJob(request.job());
  call.attempt = request.attempt();
  call.now_ms = request.now_ms();
  call.request.whole = request.whole();
  call.request.seed = request.seed();
  call.request.demand = {
      request.min_nodes(),
      request.max_nodes() == 0 ? request.min_nodes() : request.max_nodes(),
      request.units(), request.up_to_max_nodes()};
  if (request.units() == 0 && !request.up_to_max_nodes()) {
    call.request.demand = Demand::Nodes(request.min_nodes());
  }
  const auto share = DecodeShare(request);
  if (!share.ok()) return share.status();
  call.request.communication_share = *share;
  call.request.expected_run_ms =
      std::clamp<std::int64_t>(request.time_limit_s(), 0,
                               kLatestMs / kMsPerSecond) *
      kMsPerSecond;
  call.request.waited_ms = std::max<TimeMs>(request.waited_ms(), 0);
  call.request.segment_nodes = request.segment_nodes();
  call.request.spread_segments = request.spread_segments();
  call.request.consolidate_segments = request.consolidate_segments();
  call.request.pattern = std::move(pattern);
  // An empty set means all nodes and saves the copy of a full set.
  if (table_->known().Count() != allocator_.machine().node_count()) {
    call.candidates = table_->known();
  }
  const struct {
    const std::string& bitmap;
    std::string_view field;
    NodeSet& nodes;
  } sets[] = {
      {request.candidates(), "candidates", call.candidates},
      {request.excluded(), "excluded", call.excluded},
      {request.required(), "required", call.request.required},
  };
  std::uint32_t unknown = 0;
  for (const auto& set : sets) {
    if (set.bitmap.empty()) continue;
    auto nodes = table_->Decode(set.bitmap, set.field, unknown);
    if (!nodes.ok()) return nodes.status();
    set.nodes = *std::move(nodes);
  }
  // A resource manager that names candidates knows better what is available.
  if (request.candidates().empty() && !unavailable_.Empty()) {
    if (call.excluded.size() == 0) {
      call.excluded = unavailable_;
    } else {
      call.excluded |= unavailable_;
    }
  }
  auto tiers =
      DecodeTiers(request.tiers(), *table_, allocator_.machine().node_count());
  if (!tiers.ok()) return tiers.status();
  call.tiers = *std::move(tiers);
  auto usable = DecodeUsable(request.usable(), *table_,
                             allocator_.machine().node_count());
  if (!usable.ok()) return usable.status();
  call.request.usable = *std::move(usable);
  if (!request.required().empty() && unknown > 0) {
    return absl::InvalidArgumentError(fmt::format(
        "required: {} of the nodes are not in the machine file (expected "
        "nodes of the machine)",
        unknown));
  }
  return call;
}

// A repeated answer may be older than the current node table.
absl::StatusOr<DecisionPtr> ServedCluster::CheckNamed(
    absl::StatusOr<DecisionPtr> answer) const {
  if (!answer.ok() || *answer == nullptr) return answer;
  for (const NodeId node : (*answer)->allocation.nodes) {
    if (table_->known().Contains(node)) continue;
    return absl::AbortedError(fmt::format(
        "nodes of request {} are no longer in the node table (expected a new "
        "attempt)",
        (*answer)->id));
  }
  return answer;
}

absl::StatusOr<DecisionPtr> ServedCluster::Begin(const AllocateCall& call) {
  return CheckNamed(allocator_.Begin(call));
}

absl::StatusOr<DecisionPtr> ServedCluster::Hold(const AllocateCall& call,
                                                Decision decision) {
  return allocator_.Hold(call, std::move(decision));
}

absl::StatusOr<DecisionPtr> ServedCluster::Allocate(
    const AllocateCall& call, const DecidingPolicies& policies,
    Budget& budget) {
  return CheckNamed(allocator_.Allocate(call, policies, budget));
}

absl::StatusOr<ServedCluster::Effect> ServedCluster::Apply(
    EventKind kind, const v1::Event& event) {
  if (absl::Status status = CheckTime(event.now_ms()); !status.ok()) {
    return status;
  }
  const JobKey job = DecodeJob(event.job());
  if (kind == EventKind::kRelease) {
    allocator_.Release(job, event.now_ms());
    return Effect{};
  }
  if (kind == EventKind::kSuspend) {
    return Effect{false,
                  allocator_.Suspend(job, event.suspended(), event.now_ms())};
  }
  auto fact = DecodeHolding(event.holding(), *table_);
  if (!fact.ok()) return fact.status();
  fact->job = job;
  if (fact->nodes.empty()) {
    // None of its nodes is in the machine file.
    allocator_.Release(job, event.now_ms());
    return Effect{};
  }
  auto result = kind == EventKind::kCommit
                    ? allocator_.Commit(*std::move(fact), event.now_ms())
                    : allocator_.Resize(*std::move(fact), event.now_ms());
  return Effect{result.as_decided, std::move(result.disputed)};
}

std::vector<JobKey> ServedCluster::AdvanceTo(TimeMs now_ms) {
  return allocator_.AdvanceTo(now_ms);
}

void ServedCluster::CorrectRoom(
    std::shared_ptr<const InletCorrection> correction) {
  allocator_.CorrectRoom(std::move(correction));
}

absl::Status ServedCluster::RestoreTable(const std::string& hostlist,
                                         std::span<const Units> capacity) {
  auto table = NodeTable::Create(allocator_.machine(), {&hostlist, 1});
  if (!table.ok()) return table.status();
  if (capacity.size() != table->size()) {
    return absl::InvalidArgumentError(fmt::format(
        "{} capacities for {} node names", capacity.size(), table->size()));
  }
  std::vector<Units> by_node(allocator_.machine().node_count(), 1);
  for (std::size_t bit = 0; bit < capacity.size(); ++bit) {
    const NodeId node = table->NodeAt(bit);
    if (node != NodeTable::kUnknown) {
      by_node[node] = std::max(Units{1}, capacity[bit]);
    }
  }
  table_ = std::make_shared<const NodeTable>(*std::move(table));
  allocator_.Sync(std::move(by_node), {}, 0);
  return absl::OkStatus();
}

void ServedCluster::RestoreHolding(Holding holding) {
  allocator_.Restore(std::move(holding));
}

v1::AllocateReply EncodeDecision(const Decision& decision,
                                 const NodeTable& table) {
  v1::AllocateReply reply;
  reply.set_placed(decision.placed);
  reply.set_decision_id(decision.id);
  reply.set_policy(decision.policy);
  reply.set_stopped_early(decision.stopped_early);
  if (decision.placed) {
    reply.set_nodes(table.Encode(decision.allocation.nodes));
  } else {
    reply.set_reason(std::string(decision.reason));
  }
  return reply;
}

}  // namespace coolspan
