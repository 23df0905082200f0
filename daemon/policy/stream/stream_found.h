// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_STREAM_FOUND_H_
#define COOLSPAN_POLICY_STREAM_STREAM_FOUND_H_

#include <cstdint>
#include <vector>

#include "core/types.h"
#include "policy/distance/free_sites.h"

namespace coolspan {

// The result of a search for the set of least score (StreamWeights).
struct StreamFound {
  std::vector<VertexNodes> chosen;  // without required nodes
  VertexId centre = 0;
  double score = 0;           // in hops
  std::uint64_t centres = 0;  // candidates
  std::uint64_t scored = 0;   // candidates whose nodes were chosen
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_STREAM_FOUND_H_
