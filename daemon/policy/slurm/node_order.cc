// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/slurm/node_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

// The digits at the start of the text.
std::string_view DigitsAt(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && absl::ascii_isdigit(text[length])) ++length;
  return text.substr(0, length);
}

// Negative, 0 or positive, as std::string_view::compare.
int CompareNumbers(std::string_view a, std::string_view b) {
  const bool from_left = a.front() == '0' || b.front() == '0';
  if (!from_left && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace

bool IsNameBefore(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view digits_a = DigitsAt(a);
    const std::string_view digits_b = DigitsAt(b);
    if (!digits_a.empty() && !digits_b.empty()) {
      const int compared = CompareNumbers(digits_a, digits_b);
      if (compared != 0) return compared < 0;
      a.remove_prefix(digits_a.size());
      b.remove_prefix(digits_b.size());
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

std::vector<NodeId> SlurmNameOrder(const Machine& machine) {
  std::vector<NodeId> order(machine.node_count());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
    return IsNameBefore(machine.NodeName(a), machine.NodeName(b));
  });
  return order;
}

std::uint32_t TorusRank(std::array<std::uint32_t, 3> point) {
  // From coordinates to the transposed index, most significant bits first: undo
  // the reflections and exchanges of the axes in each smaller cube.
  for (std::uint32_t bit = kTorusSide / 2; bit > 1; bit /= 2) {
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& axis : point) {
      if ((axis & bit) != 0) {
        point[0] ^= below;
      } else {
        const std::uint32_t differing = (point[0] ^ axis) & below;
        point[0] ^= differing;
        axis ^= differing;
      }
    }
  }
  // Gray code of each level, carried from level to level.
  point[1] ^= point[0];
  point[2] ^= point[1];
  std::uint32_t carried = 0;
  for (std::uint32_t bit = kTorusSide / 2; bit > 1; bit /= 2) {
    if ((point[2] & bit) != 0) carried ^= bit - 1;
  }
  std::uint32_t rank = 0;
  for (unsigned level = kTorusBits; level-- > 0;) {
    for (const std::uint32_t axis : point) {
      rank = 2 * rank + (((axis ^ carried) >> level) & 1);
    }
  }
  return rank;
}

bool IsSlurmTorus(const Topology& topology) {
  const Grid* const grid = topology.grid();
  return grid != nullptr && grid->dims.size() == 3 &&
         std::all_of(grid->dims.begin(), grid->dims.end(),
                     [](std::uint32_t side) { return side <= kTorusSide; });
}

std::vector<NodeId> SlurmTorusOrder(const Machine& machine) {
  const Grid& grid = *machine.topology().grid();
  std::vector<std::uint32_t> rank_of(machine.node_count());
  for (NodeId node = 0; node < machine.node_count(); ++node) {
    std::array<std::uint32_t, 3> point{};
    grid.CoordinatesOf(machine.topology().VertexOf(node), point);
    rank_of[node] = TorusRank(point);
  }
  std::vector<NodeId> order = SlurmNameOrder(machine);
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeId a, NodeId b) { return rank_of[a] < rank_of[b]; });
  return order;
}

}  // namespace coolspan
