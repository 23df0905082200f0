// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_EVEN_SAMPLE_H_
#define COOLSPAN_POLICY_CENTRE_EVEN_SAMPLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"

namespace coolspan {

// At most so many of the vertices, at least one, in an order of which each
// first part is evenly spread over them. REQUIRES a vertex.
std::vector<VertexId> EvenSample(std::span<const VertexId> vertices,
                                 std::uint64_t most);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_EVEN_SAMPLE_H_
