// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/last_shell.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace coolspan {
namespace {

bool Nearer(const ShellSite& a, const ShellSite& b) {
  return a.sum != b.sum ? a.sum < b.sum : a.vertex < b.vertex;
}

}  // namespace

// Most sites know from a coarse look at their sum whether they are taken, so
// only those close to the last sum taken are sorted. Sites are copied before
// it is known whether they are wanted, since that cannot be foretold.
void LeastSites::Take(const std::vector<ShellSite>& sites, NodeCount wanted,
                      std::vector<ShellSite>& taken) {
  constexpr std::size_t kBuckets = 256;
  std::uint64_t least = sites.front().sum;
  std::uint64_t most = least;
  for (const ShellSite& site : sites) {
    least = std::min(least, site.sum);
    most = std::max(most, site.sum);
  }
  int shift = 0;
  while ((most - least) >> shift >= kBuckets) ++shift;
  std::array<NodeCount, kBuckets> nodes{};
  for (const ShellSite& site : sites) {
    nodes[(site.sum - least) >> shift] += site.count;
  }
  std::size_t last = 0;
  while (nodes[last] < wanted) wanted -= nodes[last++];
  taken.resize(sites.size());
  close_.resize(sites.size());
  std::size_t below = 0;
  std::size_t close = 0;
  for (const ShellSite& site : sites) {
    const std::uint64_t bucket = (site.sum - least) >> shift;
    taken[below] = site;
    below += bucket < last ? 1 : 0;
    close_[close] = site;
    close += bucket == last ? 1 : 0;
  }
  taken.resize(below);
  close_.resize(close);
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

TakenOfShell TakeGreedily(const Topology& topology,
                          std::vector<ShellSite> sites, NodeCount wanted) {
  TakenOfShell taken;
  while (wanted > 0) {
    const auto least = std::min_element(sites.begin(), sites.end(), Nearer);
    const ShellSite site = *least;
    *least = sites.back();
    sites.pop_back();
    // A node of the same vertex is at distance 0, so all of it is taken before
    // any other is nearer.
    const NodeCount count = std::min(wanted, site.count);
    taken.sites.push_back({site.vertex, count});
    taken.added += count * site.sum;
    wanted -= count;
    for (ShellSite& other : sites) {
      other.sum += std::uint64_t{count} *
                   topology.VertexDistance(site.vertex, other.vertex);
    }
  }
  return taken;
}

}  // namespace coolspan
