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
  keys_.resize(sites.size());
  along_.resize(places_.axes.size());
  for (std::vector<std::uint32_t>& along : along_) along.resize(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    keys_[i] = FreeBeside(sites[i].vertex) * kBeside + sites[i].sum;
    const std::uint32_t* const at = places_.At(sites[i].vertex).data();
    for (std::size_t d = 0; d < along_.size(); ++d) along_[d][i] = at[d];
  }
}

void FreePerimeter::RemoveSite(std::size_t index) {
  keys_[index] = keys_.back();
  keys_.pop_back();
  for (std::vector<std::uint32_t>& coordinates : along_) {
    coordinates[index] = coordinates.back();
    coordinates.pop_back();
  }
}

void FreePerimeter::AddDistances(VertexId taken, NodeCount count) {
  hops_.assign(keys_.size(), 0);
  const std::span<const std::uint32_t> at = places_.At(taken);
  for (std::size_t d = 0; d < along_.size(); ++d) {
    const GridAxis& axis = places_.axes[d];
    const std::uint32_t around =
        axis.wrap ? axis.extent : std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t* const along = along_[d].data();
    for (std::size_t i = 0; i < hops_.size(); ++i) {
      const std::uint32_t straight =
          std::max(at[d], along[i]) - std::min(at[d], along[i]);
      hops_[i] += std::min(straight, around - straight);
    }
  }
  const std::uint64_t beside = has_free_[taken] == 0 ? kBeside : 0;
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    keys_[i] += std::uint64_t{count} * hops_[i] - (hops_[i] == 1 ? beside : 0);
  }
}

std::uint64_t FreePerimeter::Fill(std::span<const VertexNodes> whole,
                                  std::vector<ShellSite> sites, NodeCount nodes,
                                  std::vector<ShellSite>& taken) {
  Begin(whole);
  taken.clear();
  SetSites(sites);
  while (nodes > 0) {
    std::size_t next = 0;
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      if (keys_[i] < keys_[next] ||
          (keys_[i] == keys_[next] && sites[i].vertex < sites[next].vertex)) {
        next = i;
      }
    }
    ShellSite site = sites[next];
    site.sum = keys_[next] % kBeside;
    sites[next] = sites.back();
    sites.pop_back();
    RemoveSite(next);
    site.count = std::min(nodes, site.count);
    nodes -= site.count;
    Take(site.vertex, site.count);
    taken.push_back(site);
    if (nodes > 0) AddDistances(site.vertex, site.count);
  }
  return End();
}

}  // namespace coolspan
