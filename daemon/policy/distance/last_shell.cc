// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/last_shell.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace coolspan {
namespace {

bool HasSmallerSum(const ShellSite& a, const ShellSite& b) {
  return a.sum != b.sum ? a.sum < b.sum : a.vertex < b.vertex;
}

// Hop distances from a vertex to all sites. On a grid the coordinates of the
// sites are contiguous per axis, so that the compiler vectorizes the sums.
class DistancesToSites {
 public:
  DistancesToSites(const Topology& topology, std::span<const ShellSite> sites)
      : topology_(topology), hops_(sites.size()) {
    vertices_.reserve(sites.size());
    for (const ShellSite& site : sites) vertices_.push_back(site.vertex);
    const Grid* const grid = topology.grid();
    if (grid == nullptr) return;
    VertexId stride = 1;
    for (std::size_t d = 0; d < grid->dims.size(); ++d) {
      Axis& axis = axes_.emplace_back();
      axis.extent = grid->dims[d];
      axis.stride = stride;
      axis.ring =
          grid->wrap[d] ? static_cast<std::int32_t>(axis.extent) : kNoRing;
      axis.at.reserve(sites.size());
      for (const VertexId vertex : vertices_)
        axis.at.push_back(axis.Of(vertex));
      stride *= axis.extent;
    }
  }

  // Removes a site; the last one moves to its index.
  void Drop(std::size_t site) {
    vertices_[site] = vertices_.back();
    vertices_.pop_back();
    for (Axis& axis : axes_) {
      axis.at[site] = axis.at.back();
      axis.at.pop_back();
    }
  }

  // Valid until the next call.
  std::span<const Hops> From(VertexId vertex) {
    const std::size_t count = vertices_.size();
    if (axes_.empty()) {
      for (std::size_t i = 0; i < count; ++i) {
        hops_[i] = topology_.VertexDistance(vertex, vertices_[i]);
      }
      return std::span(hops_).first(count);
    }
    std::fill_n(hops_.begin(), count, 0);
    for (const Axis& axis : axes_) {
      const std::int32_t from = axis.Of(vertex);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t straight = std::abs(axis.at[i] - from);
        hops_[i] += static_cast<Hops>(std::min(straight, axis.ring - straight));
      }
    }
    return std::span(hops_).first(count);
  }

 private:
  // Ring length of an axis without wrap: the way around is never shorter.
  static constexpr std::int32_t kNoRing =
      std::numeric_limits<std::int32_t>::max();
  struct Axis {
    std::uint32_t extent = 1;
    VertexId stride = 1;
    std::int32_t ring = kNoRing;
    std::vector<std::int32_t> at = {};  // coordinates of the sites

    std::int32_t Of(VertexId vertex) const {
      return static_cast<std::int32_t>(vertex / stride % extent);
    }
  };

  const Topology& topology_;
  std::vector<VertexId> vertices_;  // of the sites
  std::vector<Axis> axes_;          // empty: no coordinates
  std::vector<Hops> hops_;
};

}  // namespace

SumRange RangeOf(std::span<const ShellSite> sites) {
  SumRange range{sites.front().sum, sites.front().sum};
  for (const ShellSite& site : sites) {
    range.min = std::min(range.min, site.sum);
    range.max = std::max(range.max, site.sum);
  }
  return range;
}

// A histogram of the sums gives the bucket that contains the largest sum taken.
// Sites below it are taken without sorting; only the few sites in it are
// sorted. The copy loop is branch-free, as the branch would be unpredictable.
void SmallestSums::Take(std::span<const ShellSite> sites, const SumRange& range,
                        NodeCount nodes, std::vector<ShellSite>& taken) {
  constexpr std::size_t kBuckets = 1024;
  int shift = 0;
  while ((range.max - range.min) >> shift >= kBuckets) ++shift;
  const std::size_t used = ((range.max - range.min) >> shift) + 1;
  std::array<NodeCount, kBuckets> bucket_nodes;
  std::fill_n(bucket_nodes.begin(), used, 0);
  for (const ShellSite& site : sites) {
    bucket_nodes[(site.sum - range.min) >> shift] += site.count;
  }
  std::size_t last = 0;
  while (bucket_nodes[last] < nodes) nodes -= bucket_nodes[last++];
  const std::uint64_t boundary_min = range.min + (std::uint64_t{last} << shift);
  const std::uint64_t boundary_end = boundary_min + (std::uint64_t{1} << shift);
  if (taken.size() < sites.size()) taken.resize(sites.size());
  boundary_.clear();
  ShellSite* out = taken.data();
  for (const ShellSite& site : sites) {
    *out = site;
    out += site.sum < boundary_min ? 1 : 0;
    if (site.sum - boundary_min < boundary_end - boundary_min)
      boundary_.push_back(site);
  }
  taken.resize(static_cast<std::size_t>(out - taken.data()));
  std::sort(boundary_.begin(), boundary_.end(), HasSmallerSum);
  for (const ShellSite& site : boundary_) {
    taken.push_back(site);
    if (site.count >= nodes) {
      taken.back().count = nodes;
      return;
    }
    nodes -= site.count;
  }
}

std::optional<TakenOfShell> TakeGreedily(const Topology& topology,
                                         std::vector<ShellSite> sites,
                                         NodeCount nodes, Budget& budget) {
  TakenOfShell taken;
  std::optional<DistancesToSites> distances;
  while (nodes > 0) {
    if (!budget.Spend(sites.size())) return std::nullopt;
    if (!distances) distances.emplace(topology, sites);
    const auto next = static_cast<std::size_t>(
        std::min_element(sites.begin(), sites.end(), HasSmallerSum) -
        sites.begin());
    const ShellSite site = sites[next];
    sites[next] = sites.back();
    sites.pop_back();
    distances->Drop(next);
    // Nodes of one vertex are at distance 0 from each other, so the vertex
    // keeps the smallest sum until all its nodes are taken.
    const NodeCount count = std::min(nodes, site.count);
    taken.sites.push_back({site.vertex, count});
    taken.added += count * site.sum;
    nodes -= count;
    if (nodes == 0) break;
    const std::span<const Hops> hops = distances->From(site.vertex);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      sites[i].sum += std::uint64_t{count} * hops[i];
    }
  }
  return taken;
}

}  // namespace coolspan
