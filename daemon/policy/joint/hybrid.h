// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_HYBRID_H_
#define COOLSPAN_POLICY_JOINT_HYBRID_H_

#include <memory>
#include <vector>

#include "core/machine.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {

// The policy hybrid, whose nodes are candidates of others. REQUIRES a machine
// with a room.
std::unique_ptr<const ThermalPolicy> NewHybrid(const Machine& machine);

// Its nodes, with at most this share of the remaining budget.
std::vector<NodeId> HybridNodes(const ThermalPolicy& hybrid,
                                const ThermalPolicy::Decision& decision,
                                double share);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_HYBRID_H_
