// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_EVEN_SAMPLE_H_
#define COOLSPAN_POLICY_CENTRE_EVEN_SAMPLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"

namespace coolspan {

// At most max_count (at least one) of the vertices, ordered so that every
// prefix is evenly spread over them. REQUIRES !vertices.empty().
std::vector<VertexId> EvenSample(std::span<const VertexId> vertices,
                                 std::uint64_t max_count);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_EVEN_SAMPLE_H_
