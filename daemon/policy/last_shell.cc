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
  while (wanted > 0) {
    if (!budget.Spend(sites.size())) return std::nullopt;
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
