// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_NODE_ORDER_H_
#define COOLSPAN_POLICY_SLURM_NODE_ORDER_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/machine.h"
#include "core/types.h"

namespace coolspan {

// The order of Slurm's node table, in which its select plugin looks at nodes.

// Whether slurmctld sorts node `a` before node `b` by name: digits are compared
// as numbers, digits with a leading zero from the left. n9 < n10, n09 < n1.
bool IsNameBefore(std::string_view a, std::string_view b);

// All nodes by name: topology/default, tree and block.
std::vector<NodeId> SlurmNameOrder(const Machine& machine);

// Coordinates of topology/3d_torus are 0 to kTorusSide - 1.
inline constexpr unsigned kTorusBits = 5;
inline constexpr std::uint32_t kTorusSide = 1U << kTorusBits;

// The place of a point on the Hilbert curve through the cube of kTorusSide
// points per axis: the first coordinate changes the most significant bit of
// each level. Source: J. Skilling, Programming the Hilbert curve, AIP
// Conference Proceedings 707, 381 (2004), as topology/3d_torus uses it.
// REQUIRES coordinates below kTorusSide.
std::uint32_t TorusRank(std::array<std::uint32_t, 3> point);

// Whether topology/3d_torus has a rank for each node: three dimensions of at
// most kTorusSide.
bool IsSlurmTorus(const Topology& topology);

// All nodes by TorusRank of their vertex, then by name. topology/3d_torus reads
// the coordinates from the last three characters of the names; here they are
// those of the machine. REQUIRES IsSlurmTorus.
std::vector<NodeId> SlurmTorusOrder(const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_NODE_ORDER_H_
