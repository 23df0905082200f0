// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_TYPES_H_
#define COOLSPAN_CORE_TYPES_H_

#include <cstdint>

namespace coolspan {

// Index of a node in the machine's node list: vertex order, x fastest, the
// nodes of one vertex consecutive, vertices without nodes (holes) skipped.
using NodeId = std::uint32_t;
// Index of a grid point or switch: row-major, x fastest, holes included.
using VertexId = std::uint32_t;
// Index of a node in an ordering.
using Rank = std::uint32_t;
using NodeCount = std::uint32_t;
// Allocatable units of a node that can be shared; with Slurm, cores.
using Units = std::uint32_t;
using Hops = std::uint32_t;
// Milliseconds on the caller's clock, real or virtual. The core has no clock.
using TimeMs = std::int64_t;
inline constexpr TimeMs kMsPerSecond = 1000;
inline constexpr TimeMs kUnknownEnd = 0;  // of a job

}  // namespace coolspan

#endif  // COOLSPAN_CORE_TYPES_H_
