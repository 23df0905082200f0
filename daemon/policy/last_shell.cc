// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/last_shell.h"

#include <algorithm>

namespace coolspan {
namespace {

bool Nearer(const ShellSite& a, const ShellSite& b) {
  return a.sum != b.sum ? a.sum < b.sum : a.vertex < b.vertex;
}

}  // namespace

std::vector<VertexNodes> TakeLeast(std::vector<ShellSite>& sites,
                                   NodeCount wanted) {
  // Each site has a node at least, so these are enough of them.
  const std::size_t most = std::min<std::size_t>(wanted, sites.size());
  if (most < sites.size()) {
    std::nth_element(sites.begin(), sites.begin() + most, sites.end(), Nearer);
  }
  const bool one_each =
      std::all_of(sites.begin(), sites.begin() + most,
                  [](const ShellSite& site) { return site.count == 1; });
  if (!one_each) std::sort(sites.begin(), sites.begin() + most, Nearer);
  std::vector<VertexNodes> taken;
  for (const ShellSite& site : sites) {
    if (wanted == 0) break;
    const NodeCount count = std::min(wanted, site.count);
    taken.push_back({site.vertex, count});
    wanted -= count;
  }
  return taken;
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
