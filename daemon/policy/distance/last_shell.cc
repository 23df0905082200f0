// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/last_shell.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace coolspan {
namespace {

bool Nearer(const ShellSite& a, const ShellSite& b) {
  return a.sum != b.sum ? a.sum < b.sum : a.vertex < b.vertex;
}

// Hop distances from one vertex after another to some sites. On a grid their
// coordinates lie side by side, so that several are worked out at once.
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

  // The last site takes the place of this one.
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
  // Longer than twice any axis: the other way round is never the shorter one.
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
    range.least = std::min(range.least, site.sum);
    range.most = std::max(range.most, site.sum);
  }
  return range;
}

// Most sites know from a coarse look at their sum whether they are taken, so
// only those close to the last sum taken are sorted. Sites are copied before
// it is known whether they are wanted, since that cannot be foretold; the close
// ones are few.
void LeastSites::Take(std::span<const ShellSite> sites, const SumRange& range,
                      NodeCount wanted, std::vector<ShellSite>& taken) {
  constexpr std::size_t kBuckets = 1024;
  int shift = 0;
  while ((range.most - range.least) >> shift >= kBuckets) ++shift;
  const std::size_t used = ((range.most - range.least) >> shift) + 1;
  std::array<NodeCount, kBuckets> nodes;
  std::fill_n(nodes.begin(), used, 0);
  for (const ShellSite& site : sites) {
    nodes[(site.sum - range.least) >> shift] += site.count;
  }
  std::size_t last = 0;
  while (nodes[last] < wanted) wanted -= nodes[last++];
  const std::uint64_t close_from = range.least + (std::uint64_t{last} << shift);
  const std::uint64_t close_to = close_from + (std::uint64_t{1} << shift);
  if (taken.size() < sites.size()) taken.resize(sites.size());
  close_.clear();
  ShellSite* out = taken.data();
  for (const ShellSite& site : sites) {
    *out = site;
    out += site.sum < close_from ? 1 : 0;
    if (site.sum - close_from < close_to - close_from) close_.push_back(site);
  }
  taken.resize(static_cast<std::size_t>(out - taken.data()));
  std::sort(close_.begin(), close_.end(), Nearer);
  for (const ShellSite& site : close_) {
    taken.push_back(site);
    if (site.count >= wanted) {
      taken.back().count = wanted;
      return;
    }
    wanted -= site.count;
  }
}

std::optional<TakenOfShell> TakeGreedily(const Topology& topology,
                                         std::vector<ShellSite> sites,
                                         NodeCount wanted, Budget& budget) {
  TakenOfShell taken;
  std::optional<DistancesToSites> distances;
  while (wanted > 0) {
    if (!budget.Spend(sites.size())) return std::nullopt;
    if (!distances) distances.emplace(topology, sites);
    const auto least = static_cast<std::size_t>(
        std::min_element(sites.begin(), sites.end(), Nearer) - sites.begin());
    const ShellSite site = sites[least];
    sites[least] = sites.back();
    sites.pop_back();
    distances->Drop(least);
    // A node of the same vertex is at distance 0, so all of it is taken before
    // any other is nearer.
    const NodeCount count = std::min(wanted, site.count);
    taken.sites.push_back({site.vertex, count});
    taken.added += count * site.sum;
    wanted -= count;
    if (wanted == 0) break;
    const std::span<const Hops> hops = distances->From(site.vertex);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      sites[i].sum += std::uint64_t{count} * hops[i];
    }
  }
  return taken;
}

}  // namespace coolspan
