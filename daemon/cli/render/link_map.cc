// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/link_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

// The greater use of both directions, by ends, the lower one first.
using Uses = std::map<std::pair<VertexId, VertexId>, double>;

Uses BusierDirections(std::span<const RunMap::LinkUse> links) {
  Uses uses;
  for (const RunMap::LinkUse& link : links) {
    double& use = uses[std::minmax(link.from, link.to)];
    use = std::max(use, link.use);
  }
  return uses;
}

char DigitOf(double use) {
  constexpr double kFull = 1 - 1e-6;
  constexpr int kTenths = 10;
  if (use <= 0) return '.';
  if (use >= kFull) return '!';
  return static_cast<char>('0' + static_cast<int>(use * kTenths));
}

// Takes the links that it draws out of uses. first: the vertex at x = y = 0.
std::string DrawPlane(const Grid& grid, VertexId first, Uses& uses) {
  const std::uint32_t width = grid.dims[0];
  const std::uint32_t height = grid.dims[1];
  const auto digit = [&](VertexId a, VertexId b) {
    const auto found = uses.find(std::minmax(a, b));
    if (found == uses.end()) return ' ';
    const char drawn = DigitOf(found->second);
    uses.erase(found);
    return drawn;
  };
  std::string text;
  const auto end_line = [&text] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  for (std::uint32_t y = 0; y < height; ++y) {
    const VertexId row = first + y * width;
    for (std::uint32_t x = 0; x < width; ++x) {
      text += 'o';
      text += digit(row + x, row + (x + 1) % width);
    }
    end_line();
    const VertexId below = first + (y + 1) % height * width;
    for (std::uint32_t x = 0; x < width; ++x) {
      text += digit(row + x, below + x);
      text += ' ';
    }
    end_line();
  }
  text.erase(text.find_last_not_of('\n') + 1);
  return text + "\n";
}

std::string ListBusiest(const Uses& uses) {
  constexpr std::size_t kMaxListed = 10;
  std::vector<std::pair<double, std::pair<VertexId, VertexId>>> busiest;
  for (const auto& [ends, use] : uses) {
    if (use > 0) busiest.emplace_back(-use, ends);
  }
  std::sort(busiest.begin(), busiest.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(busiest.size(), kMaxListed); ++i) {
    const auto& [use, ends] = busiest[i];
    text += fmt::format("vertices {} and {}: {:.2f}\n", ends.first, ends.second,
                        -use);
  }
  return text;
}

}  // namespace

std::string DrawLinks(const Topology& topology,
                      std::span<const RunMap::LinkUse> links) {
  Uses uses = BusierDirections(links);
  std::string text =
      "use of links, tenths of their capacity (. none, ! full)\n";
  const Grid* const grid = topology.grid();
  if (grid != nullptr && grid->dims.size() >= 2) {
    const VertexId area = grid->dims[0] * grid->dims[1];
    for (VertexId first = 0; first < grid->VertexCount(); first += area) {
      if (area < grid->VertexCount()) {
        text += fmt::format("vertices {} to {}\n", first, first + area - 1);
      }
      text += DrawPlane(*grid, first, uses);
    }
  }
  return text + ListBusiest(uses);
}

}  // namespace coolspan
