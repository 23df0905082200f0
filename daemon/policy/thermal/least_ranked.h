// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_LEAST_RANKED_H_
#define COOLSPAN_POLICY_THERMAL_LEAST_RANKED_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "policy/place_demand.h"

namespace coolspan {

// The required nodes and the other nodes with the lowest ranks; ties go to the
// smallest id.
std::vector<NodeId> LeastRanked(const Choice& choice,
                                absl::FunctionRef<double(NodeId)> rank);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_LEAST_RANKED_H_
