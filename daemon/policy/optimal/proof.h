// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_PROOF_H_
#define COOLSPAN_POLICY_OPTIMAL_PROOF_H_

#include <cstdint>

#include "policy/distance/free_vertices.h"

namespace coolspan {

// The result of a search for the minimum total pairwise distance.
struct Proof {
  VertexSet best;
  std::uint64_t lower_bound = 0;  // equals best.total when proved
  std::uint64_t subproblems = 0;

  bool proved() const { return lower_bound == best.total; }
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_PROOF_H_
