// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/grid_centres.h"

#include <algorithm>
#include <cstddef>

namespace coolspan {
namespace {

std::vector<VertexId> VerticesWithNodes(const FreeSites& sites) {
  const auto vertices = static_cast<VertexId>(sites.capacity.size());
  std::vector<VertexId> with_nodes;
  with_nodes.reserve(std::min<std::size_t>(
      vertices, sites.free_count + sites.required.size()));
  auto required = sites.required.begin();
  for (VertexId vertex = 0; vertex < vertices; ++vertex) {
    bool has_nodes = sites.capacity[vertex] > 0;
    if (required != sites.required.end() && required->vertex == vertex) {
      has_nodes = true;
      ++required;
    }
    if (has_nodes) with_nodes.push_back(vertex);
  }
  return with_nodes;
}

}  // namespace

std::vector<VertexId> CentresOf(const GridPlaces& places,
                                CentreRule::Centres rule) {
  std::vector<VertexId> with_nodes = VerticesWithNodes(*places.sites);
  if (rule == CentreRule::Centres::kFree) return with_nodes;
  std::vector<std::vector<bool>> occupied;  // by axis, then coordinate
  for (const GridAxis& axis : places.axes) {
    occupied.emplace_back(axis.extent, false);
  }
  for (const VertexId vertex : with_nodes) {
    const auto at = places.At(vertex);
    for (std::size_t d = 0; d < at.size(); ++d) occupied[d][at[d]] = true;
  }
  const auto is_crossing = [&](VertexId vertex) {
    const auto at = places.At(vertex);
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (!occupied[d][at[d]]) return false;
    }
    return true;
  };
  std::vector<VertexId> crossings;
  const auto vertices = static_cast<VertexId>(places.sites->capacity.size());
  for (VertexId vertex = 0; vertex < vertices; ++vertex) {
    if (is_crossing(vertex)) crossings.push_back(vertex);
  }
  return crossings;
}

}  // namespace coolspan
