// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_PROOF_H_
#define COOLSPAN_POLICY_OPTIMAL_PROOF_H_

#include <cstdint>

#include "policy/distance/free_vertices.h"

namespace coolspan {

// What a search for the least total pairwise distance came to.
struct Proof {
  VertexSet best;
  std::uint64_t lower_bound = 0;  // of every total; best.total when proved
  std::uint64_t subproblems = 0;  // subproblems

  bool proved() const { return lower_bound == best.total; }
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_PROOF_H_
