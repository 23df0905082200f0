// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/free_perimeter.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace coolspan {

FreePerimeter::FreePerimeter(const GridPlaces& places)
    : places_(places),
      taken_at_(places.sites->capacity.size(), 0),
      in_set_(taken_at_.size(), 0) {}

void FreePerimeter::Take(VertexId vertex, NodeCount count) {
  taken_at_[vertex] += count;
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
  const std::span<const std::uint32_t> at = places_.At(vertex);
  for (std::size_t d = 0; d < at.size(); ++d) {
    const GridAxis& axis = places_.axes[d];
    const VertexId around = axis.stride * (axis.extent - 1);
    if (at[d] > 0) {
      free += HasFree(vertex - axis.stride) ? 1 : 0;
    } else if (axis.wrap && axis.extent > 2) {
      free += HasFree(vertex + around) ? 1 : 0;
    }
    if (at[d] + 1 < axis.extent) {
      free += HasFree(vertex + axis.stride) ? 1 : 0;
    } else if (axis.wrap && axis.extent > 2) {
      free += HasFree(vertex - around) ? 1 : 0;
    }
  }
  return free;
}

std::uint64_t FreePerimeter::End() {
  std::uint64_t perimeter = 0;
  for (const VertexId vertex : set_) perimeter += FreeBeside(vertex);
  for (const VertexId vertex : set_) taken_at_[vertex] = in_set_[vertex] = 0;
  return perimeter;
}

std::uint64_t FreePerimeter::Of(std::span<const VertexNodes> chosen) {
  Begin(chosen);
  return End();
}

void FreePerimeter::SetSites(std::span<const ShellSite> sites) {
  keys_.clear();
  for (const ShellSite& site : sites) {
    keys_.push_back(FreeBeside(site.vertex) * kBeside + site.sum);
  }
  along_.resize(places_.axes.size());
  for (std::size_t d = 0; d < along_.size(); ++d) {
    along_[d].clear();
    for (const ShellSite& site : sites) {
      along_[d].push_back(places_.At(site.vertex)[d]);
    }
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

void FreePerimeter::AddDistances(VertexId taken, NodeCount count, bool full) {
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
  const std::uint64_t beside = full ? kBeside : 0;
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
    AddDistances(site.vertex, site.count, !HasFree(site.vertex));
  }
  return End();
}

}  // namespace coolspan
