// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/ports/in_process_port.h"

#include <utility>

#include "core/budget.h"
#include "replay/ports/recorded_policy.h"

namespace coolspan {

InProcessPort::InProcessPort(
    std::shared_ptr<const Machine> machine,
    std::shared_ptr<const Policy> policy,
    std::vector<std::unique_ptr<const Policy>> previewed)
    : allocator_(std::move(machine)),
      policy_(std::move(policy)),
      previewed_(std::move(previewed)) {}

absl::Status InProcessPort::Fill(const Ask& ask, bool recorded) {
  call_.job = ask.job;
  call_.attempt = attempt_;
  call_.candidates = ask.available == nullptr ? NodeSet() : *ask.available;
  call_.request.demand = Demand::Nodes(ask.nodes);
  call_.request.segment_nodes = ask.segment_nodes;
  call_.request.seed = ask.seed;
  call_.request.communication_share = ask.communication_share;
  call_.request.expected_run_ms = ask.expected_run_s * kMsPerSecond;
  call_.request.waited_ms = ask.waited_ms;
  call_.request.pattern = patterns_.ForJob(ask.nodes);
  call_.now_ms = ask.now_ms;
  call_.request.required = NodeSet();
  if (!recorded) return absl::OkStatus();
  absl::StatusOr<NodeSet> nodes =
      RecordedNodes(ask, allocator_.machine().node_count());
  if (!nodes.ok()) return nodes.status();
  call_.request.required = *std::move(nodes);
  return absl::OkStatus();
}

absl::StatusOr<AllocatorPort::Answer> InProcessPort::Choose(
    const Ask& ask, std::vector<NodeId>& nodes) {
  ++attempt_;  // a repeated one would get the answer of an earlier time
  if (absl::Status filled = Fill(ask, recorded_); !filled.ok()) return filled;
  Budget budget(Budget::kVirtualClock);
  absl::StatusOr<DecisionPtr> decision =
      allocator_.Allocate(call_, {*policy_}, budget);
  if (!decision.ok()) return decision.status();
  if ((*decision)->placed) nodes = (*decision)->allocation.nodes;
  return Answer{(*decision)->placed, (*decision)->stopped_early};
}

absl::StatusOr<AllocatorPort::Answer> InProcessPort::Preview(
    std::size_t previewed, const Ask& ask, std::vector<NodeId>& nodes) {
  const bool recorded =
      previewed < recorded_previews_.size() && recorded_previews_[previewed];
  if (absl::Status filled = Fill(ask, recorded); !filled.ok()) return filled;
  Budget budget(Budget::kVirtualClock);
  absl::StatusOr<Decision> decision =
      allocator_.Preview(call_, {*previewed_[previewed]}, budget);
  if (!decision.ok()) return decision.status();
  if (decision->placed) nodes = std::move(decision->allocation.nodes);
  return Answer{decision->placed, decision->stopped_early};
}

absl::Status InProcessPort::Commit(JobKey job, TimeMs now_ms,
                                   const std::vector<NodeId>& nodes,
                                   std::optional<float> communication_share) {
  Allocator::Fact fact;
  fact.job = job;
  fact.nodes = nodes;
  fact.communication_share = communication_share;
  allocator_.Commit(std::move(fact), now_ms);
  return absl::OkStatus();
}

absl::Status InProcessPort::Release(JobKey job, TimeMs now_ms) {
  allocator_.Release(job, now_ms);
  return absl::OkStatus();
}

PortMaker InProcessPorts(std::shared_ptr<const Machine> machine,
                         PolicyOptions options,
                         std::shared_ptr<const PatternChoice> pattern) {
  return [machine = std::move(machine), options = std::move(options),
          pattern = std::move(pattern)](
             const RunSpec& run,
             const std::vector<std::string>& previewed_names)
             -> absl::StatusOr<std::unique_ptr<AllocatorPort>> {
    PolicyOptions of_run = options;
    of_run.ordering = run.ordering;
    absl::StatusOr<std::unique_ptr<Policy>> policy =
        MakePolicy(AllocatorPolicy(run.policy), machine, of_run);
    if (!policy.ok()) return policy.status();
    std::vector<std::unique_ptr<const Policy>> previewed;
    std::vector<bool> recorded;
    for (const std::string& name : previewed_names) {
      absl::StatusOr<std::unique_ptr<Policy>> made =
          MakePolicy(AllocatorPolicy(name), machine, of_run);
      if (!made.ok()) return made.status();
      recorded.push_back(IsRecordedPolicy(name));
      previewed.push_back(*std::move(made));
    }
    auto port = std::make_unique<InProcessPort>(machine, *std::move(policy),
                                                std::move(previewed));
    port->UsePatterns(JobPatterns(pattern));
    port->UseRecordedNodes(IsRecordedPolicy(run.policy), std::move(recorded));
    return port;
  };
}

}  // namespace coolspan
