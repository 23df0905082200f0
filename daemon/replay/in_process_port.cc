// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/in_process_port.h"

#include <utility>

#include "core/budget.h"

namespace coolspan {

InProcessPort::InProcessPort(std::shared_ptr<const Machine> machine,
                             std::shared_ptr<const Policy> policy)
    : allocator_(std::move(machine), std::move(policy)) {}

absl::StatusOr<bool> InProcessPort::Choose(const Ask& ask,
                                           std::vector<NodeId>& nodes) {
  call_.job.job_id = ask.job_id;
  call_.request.demand = Demand::Nodes(ask.nodes);
  call_.request.seed = ask.seed;
  call_.now_ms = ask.now_ms;
  Budget budget;
  absl::StatusOr<Decision> decision = allocator_.Allocate(call_, budget);
  if (!decision.ok()) return decision.status();
  if (decision->placed) nodes = std::move(decision->allocation.nodes);
  return decision->placed;
}

absl::Status InProcessPort::Commit(std::uint32_t job_id, TimeMs now_ms,
                                   const std::vector<NodeId>& nodes) {
  Allocator::Fact fact;
  fact.job.job_id = job_id;
  fact.nodes = nodes;
  allocator_.Commit(std::move(fact), now_ms);
  return absl::OkStatus();
}

absl::Status InProcessPort::Release(std::uint32_t job_id, TimeMs now_ms) {
  allocator_.Release({.job_id = job_id}, now_ms);
  return absl::OkStatus();
}

PortMaker InProcessPorts(std::shared_ptr<const Machine> machine,
                         PolicyOptions options) {
  return [machine = std::move(machine),
          options = std::move(options)](const std::string& policy_name)
             -> absl::StatusOr<std::unique_ptr<AllocatorPort>> {
    absl::StatusOr<std::unique_ptr<Policy>> policy =
        MakePolicy(policy_name, machine, options);
    if (!policy.ok()) return policy.status();
    return std::make_unique<InProcessPort>(machine, *std::move(policy));
  };
}

}  // namespace coolspan
