// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_HYBRID_H_
#define COOLSPAN_POLICY_JOINT_HYBRID_H_

#include <memory>

#include "core/machine.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {

// The policy hybrid, whose nodes are candidates of others. REQUIRES a machine
// with a room.
std::unique_ptr<const ThermalPolicy> NewHybrid(const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_HYBRID_H_
