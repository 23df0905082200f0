// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_SUMS_ALONG_H_
#define COOLSPAN_LOCALITY_SUMS_ALONG_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"

namespace coolspan {

// For each place x of a line or a ring, sum over places y of
// nodes_at[y] * distance(x, y). O(places).
std::vector<std::uint64_t> SumsAlong(std::span<const NodeCount> nodes_at,
                                     bool ring);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_SUMS_ALONG_H_
