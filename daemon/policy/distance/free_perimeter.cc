// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/free_perimeter.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace coolspan {

FreePerimeter::FreePerimeter(const GridPlaces& places)
    : places_(places),
      taken_at_(places.sites->capacity.size(), 0),
      in_set_(taken_at_.size(), 0),
      has_free_(places.sites->has_free) {
  has_free_.push_back(0);
  site_at_.assign(has_free_.size(), kNoSite);
}

void FreePerimeter::Take(VertexId vertex, NodeCount count) {
  taken_at_[vertex] += count;
  has_free_[vertex] = places_.sites->capacity[vertex] > taken_at_[vertex];
  if (in_set_[vertex] != 0) return;
  in_set_[vertex] = 1;
  set_.push_back(vertex);
}

void FreePerimeter::Begin(std::span<const VertexNodes> whole) {
  set_.clear();
  for (const VertexNodes& site : whole) Take(site.vertex, site.count);
  for (const VertexNodes& site : places_.sites->required) {
    Take(site.vertex, 0);  // not of the capacity
  }
}

std::uint32_t FreePerimeter::FreeBeside(VertexId vertex) const {
  std::uint32_t free = 0;
  for (const VertexId beside : places_.NeighboursOf(vertex)) {
    free += has_free_[beside];
  }
  return free;
}

std::uint64_t FreePerimeter::End() {
  std::uint64_t perimeter = 0;
  for (const VertexId vertex : set_) perimeter += FreeBeside(vertex);
  for (const VertexId vertex : set_) {
    taken_at_[vertex] = in_set_[vertex] = 0;
    has_free_[vertex] = places_.sites->has_free[vertex];
  }
  return perimeter;
}

std::uint64_t FreePerimeter::Of(std::span<const VertexNodes> chosen) {
  Begin(chosen);
  return End();
}

void FreePerimeter::SetSites(std::span<const ShellSite> sites) {
  sites_.assign(sites.begin(), sites.end());
  free_beside_.resize(sites.size());
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    free_beside_[i] = FreeBeside(sites[i].vertex);
    site_at_[sites[i].vertex] = i;
  }
}

std::size_t FreePerimeter::NextSite(std::span<const AxisWindow> windows) {
  std::uint32_t fewest = free_beside_[0];
  for (const std::uint32_t beside : free_beside_) {
    fewest = std::min(fewest, beside);
  }
  std::size_t next = sites_.size();
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (free_beside_[i] != fewest) continue;
    ShellSite& site = sites_[i];
    const std::span<const std::uint32_t> at = places_.At(site.vertex);
    site.sum = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      site.sum += windows[d].sums[windows[d].IndexOf(places_.axes[d], at[d])];
    }
    if (next == sites_.size() || site.sum < sites_[next].sum ||
        (site.sum == sites_[next].sum && site.vertex < sites_[next].vertex)) {
      next = i;
    }
  }
  return next;
}

void FreePerimeter::RemoveSite(std::size_t index) {
  site_at_[sites_[index].vertex] = kNoSite;
  if (index + 1 < sites_.size()) {
    sites_[index] = sites_.back();
    free_beside_[index] = free_beside_.back();
    site_at_[sites_[index].vertex] = static_cast<std::uint32_t>(index);
  }
  sites_.pop_back();
  free_beside_.pop_back();
}

std::uint64_t FreePerimeter::Fill(std::span<const VertexNodes> whole,
                                  std::span<const ShellSite> sites,
                                  NodeCount nodes,
                                  std::span<AxisWindow> windows,
                                  std::vector<ShellSite>& taken) {
  Begin(whole);
  taken.clear();
  SetSites(sites);
  for (;;) {
    const std::size_t next = NextSite(windows);
    ShellSite site = sites_[next];
    RemoveSite(next);
    site.count = std::min(nodes, site.count);
    nodes -= site.count;
    Take(site.vertex, site.count);
    taken.push_back(site);
    if (nodes == 0) break;
    const std::span<const std::uint32_t> at = places_.At(site.vertex);
    for (std::size_t d = 0; d < at.size(); ++d) {
      windows[d].AddSums(places_.axes[d], at[d], site.count);
    }
    for (const VertexId beside : places_.NeighboursOf(site.vertex)) {
      if (site_at_[beside] != kNoSite) --free_beside_[site_at_[beside]];
    }
  }
  for (const ShellSite& site : sites_) site_at_[site.vertex] = kNoSite;
  return End();
}

}  // namespace coolspan
