// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/site_halves.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

constexpr std::size_t kMaxDimensions = 6;
using Coordinates = std::array<std::uint32_t, kMaxDimensions>;

struct PlacedSite {
  Coordinates at{};
  SiteId site = 0;
};

// On a ring, turns coordinates such that the longest gap is at its ends.
// Returns the extent.
std::uint32_t Unwrap(std::vector<PlacedSite>& placed, std::size_t axis,
                     std::uint32_t size, bool ring) {
  std::vector<std::uint32_t> used;
  used.reserve(placed.size());
  for (const PlacedSite& one : placed) used.push_back(one.at[axis]);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::uint32_t start = used.front();
  std::uint32_t longest = size - used.back() + used.front();
  for (std::size_t i = 1; ring && i < used.size(); ++i) {
    if (used[i] - used[i - 1] > longest) {
      longest = used[i] - used[i - 1];
      start = used[i];
    }
  }
  std::uint32_t extent = 0;
  for (PlacedSite& one : placed) {
    std::uint32_t& at = one.at[axis];
    at = at >= start ? at - start : at + size - start;
    extent = std::max(extent, at + 1);
  }
  return extent;
}

// Sorts by coordinate, the axis of the longest extent first.
void SortByPlanes(const Sites& sites, const Grid& grid,
                  std::span<SiteId> region) {
  const std::size_t dimensions = grid.dims.size();
  std::vector<PlacedSite> placed(region.size());
  for (std::size_t i = 0; i < region.size(); ++i) {
    placed[i].site = region[i];
    grid.CoordinatesOf(sites.VertexOf(region[i]),
                       std::span(placed[i].at).first(dimensions));
  }
  std::vector<std::pair<std::uint32_t, std::size_t>> axes;
  axes.reserve(dimensions);
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    axes.emplace_back(Unwrap(placed, axis, grid.dims[axis], grid.wrap[axis]),
                      axis);
  }
  // The later axis first among equal ones: its planes are consecutive nodes.
  std::sort(axes.begin(), axes.end(), std::greater<>());
  std::sort(placed.begin(), placed.end(),
            [&](const PlacedSite& a, const PlacedSite& b) {
              for (const auto& [extent, axis] : axes) {
                if (a.at[axis] != b.at[axis]) return a.at[axis] < b.at[axis];
              }
              return a.site < b.site;
            });
  for (std::size_t i = 0; i < region.size(); ++i) region[i] = placed[i].site;
}

SiteId FarthestFrom(const Sites& sites, SiteId from,
                    std::span<const SiteId> region) {
  return *std::max_element(region.begin(), region.end(),
                           [&](SiteId a, SiteId b) {
                             return std::pair(sites.Distance(from, a), b) <
                                    std::pair(sites.Distance(from, b), a);
                           });
}

void SortBetweenPoles(const Sites& sites, std::span<SiteId> region) {
  std::sort(region.begin(), region.end());
  const SiteId first = FarthestFrom(sites, region.front(), region);
  const SiteId second = FarthestFrom(sites, first, region);
  std::vector<std::pair<std::int64_t, SiteId>> keys;
  keys.reserve(region.size());
  for (const SiteId site : region) {
    keys.emplace_back(std::int64_t{sites.Distance(site, first)} -
                          std::int64_t{sites.Distance(site, second)},
                      site);
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < region.size(); ++i) region[i] = keys[i].second;
}

}  // namespace

std::size_t HalveSites(const Sites& sites, std::span<const std::uint32_t> slots,
                       std::span<SiteId> region) {
  const Grid* const grid = sites.topology().grid();
  if (grid != nullptr) {
    SortByPlanes(sites, *grid, region);
  } else {
    SortBetweenPoles(sites, region);
  }
  std::uint64_t total = 0;
  for (const SiteId site : region) total += slots[site];
  // A longer step is better, then a cut nearer to the middle.
  using Quality = std::pair<std::int64_t, std::int64_t>;
  Quality best{std::numeric_limits<std::int64_t>::min(), 0};
  std::size_t cut = 1;
  std::uint64_t before = 0;
  for (std::size_t i = 1; i < region.size(); ++i) {
    before += slots[region[i - 1]];
    const bool is_balanced = 3 * before >= total && 3 * before <= 2 * total;
    const auto off_middle = static_cast<std::int64_t>(
        2 * before > total ? 2 * before - total : total - 2 * before);
    const std::int64_t step =
        is_balanced ? std::int64_t{sites.Distance(region[i - 1], region[i])}
                    : std::int64_t{-1};
    const Quality quality{step, -off_middle};
    if (quality > best) {
      best = quality;
      cut = i;
    }
  }
  return cut;
}

SiteId MiddleOf(const Sites& sites, std::span<const SiteId> region) {
  constexpr std::size_t kSample = 16;
  const std::size_t sample = std::min(kSample, region.size());
  const auto at = [&](std::size_t i) {
    return region[(2 * i + 1) * region.size() / (2 * sample)];
  };
  SiteId middle = at(0);
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < sample; ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < sample; ++j) {
      sum += sites.Distance(at(i), at(j));
    }
    if (sum < shortest) {
      shortest = sum;
      middle = at(i);
    }
  }
  return middle;
}

}  // namespace coolspan
