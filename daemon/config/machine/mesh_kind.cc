// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "config/machine/kinds.h"
#include "config/options/relative_path.h"
#include "formats/coordinates_file.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"
#include "formats/text_file.h"
#include "topology/mesh.h"

namespace coolspan {
namespace {

using TopologyPart = MachineDescription::TopologyPart;

// The extents: dims or, if omitted, the bounding box of the coordinates, which
// cannot replace the extent of a dimension that wraps.
absl::StatusOr<std::vector<std::uint32_t>> ReadExtents(
    const TopologyPart& part, const CoordinatesFile* coordinates,
    const std::string& file) {
  if (part.dims.value.empty()) {
    const bool wraps = std::find(part.wrap.value.begin(), part.wrap.value.end(),
                                 true) != part.wrap.value.end();
    if (coordinates != nullptr && !wraps) return coordinates->extents;
    return ErrorAt(file, part.place,
                   wraps ? "topology.dims: missing (expected the extents, "
                           "because a dimension wraps)"
                         : "topology.dims: missing (expected a list of one to "
                           "six extents)");
  }
  if (part.dims.value.size() > 6) {
    return ErrorAt(
        file, part.dims.place,
        fmt::format("topology.dims: {} entries (expected one to six)",
                    part.dims.value.size()));
  }
  return std::vector<std::uint32_t>(part.dims.value.begin(),
                                    part.dims.value.end());
}

// The maximum number of nodes at one vertex.
NodeCount MaxNodesPerVertex(const CoordinatesFile& coordinates) {
  absl::flat_hash_map<absl::InlinedVector<std::uint32_t, 3>, NodeCount> count;
  NodeCount max = 1;
  for (const CoordinatesFile::Node& node : coordinates.nodes) {
    max = std::max(max, ++count[node.at]);
  }
  return max;
}

absl::StatusOr<Grid> ReadGrid(const TopologyPart& part,
                              const CoordinatesFile* coordinates,
                              const std::string& file) {
  auto extents = ReadExtents(part, coordinates, file);
  if (!extents.ok()) return extents.status();
  Grid grid;
  grid.dims = *std::move(extents);
  grid.nodes_per_vertex = static_cast<NodeCount>(part.nodes_per_vertex.value);
  if (part.nodes_per_vertex.place.line == 0 && coordinates != nullptr &&
      coordinates->is_cray_table) {
    grid.nodes_per_vertex = MaxNodesPerVertex(*coordinates);
  }
  std::uint64_t vertices = 1;
  for (const std::uint32_t extent : grid.dims) {
    vertices =
        std::min<std::uint64_t>(vertices * extent, std::uint64_t{1} << 40);
  }
  if (vertices * grid.nodes_per_vertex > kMaxVertices) {
    return ErrorAt(file, part.dims.value.empty() ? part.place : part.dims.place,
                   fmt::format("topology: dims and nodes_per_vertex give more "
                               "than {} nodes (expected at most {})",
                               kMaxVertices, kMaxVertices));
  }
  grid.wrap = part.wrap.value;
  if (grid.wrap.empty()) grid.wrap.assign(grid.dims.size(), false);
  if (grid.wrap.size() != grid.dims.size()) {
    return ErrorAt(
        file, part.wrap.place,
        fmt::format("topology.wrap: {} entries, {} dimensions (expected one "
                    "per dimension)",
                    grid.wrap.size(), grid.dims.size()));
  }
  return grid;
}

// Appends the vertices of "7" or "7-9"; false for anything else and for
// vertices outside the grid.
bool AppendHoles(std::string_view word, VertexId vertices,
                 std::vector<VertexId>& holes) {
  const std::size_t dash = word.find('-');
  const auto first = ParseNumber(word.substr(0, dash));
  const auto last = dash == std::string_view::npos
                        ? first
                        : ParseNumber(word.substr(dash + 1));
  if (!first || !last || *last < *first || *last >= vertices) return false;
  if (holes.size() + (*last - *first) >= vertices) return false;
  for (VertexId vertex = *first; vertex <= *last; ++vertex) {
    holes.push_back(vertex);
  }
  return true;
}

absl::Status ReadHoles(const Placed<std::vector<std::string>>& entries,
                       const std::string& file, Grid& grid) {
  const VertexId vertices = grid.VertexCount();
  for (const std::string& entry : entries.value) {
    std::string text = entry;
    if (!entry.empty() && entry.front() == '@') {
      absl::StatusOr<std::string> list =
          ReadTextFile(ResolvePath(file, entry.substr(1)));
      if (!list.ok()) {
        return ErrorAt(file, entries.place, MessageOf(list.status()));
      }
      text = *std::move(list);
    }
    for (const std::string_view word : Words(text)) {
      if (!AppendHoles(word, vertices, grid.holes)) {
        return ErrorAt(file, entries.place,
                       fmt::format("topology.holes: invalid entry {} (expected "
                                   "a vertex from 0 to {} or an ascending "
                                   "range, each vertex once)",
                                   Quoted(word), vertices - 1));
      }
    }
  }
  std::sort(grid.holes.begin(), grid.holes.end());
  const auto repeated =
      std::adjacent_find(grid.holes.begin(), grid.holes.end());
  if (repeated != grid.holes.end()) {
    return ErrorAt(
        file, entries.place,
        fmt::format("topology.holes: vertex {} is specified more than once",
                    *repeated));
  }
  return absl::OkStatus();
}

// Returns the node names in grid order and stores holes and short vertices in
// the grid. path: of the coordinates file.
absl::StatusOr<std::vector<std::string>> PlaceNodes(
    CoordinatesFile& coordinates, const std::string& path, Grid& grid) {
  std::vector<std::pair<VertexId, std::size_t>> places;
  places.reserve(coordinates.nodes.size());
  for (std::size_t i = 0; i < coordinates.nodes.size(); ++i) {
    const CoordinatesFile::Node& node = coordinates.nodes[i];
    if (node.at.size() != grid.dims.size()) {
      return ErrorAt(
          path, {node.line, 1},
          fmt::format("node {}: {} coordinate{} (expected {}, one for each "
                      "dimension)",
                      Quoted(node.name), node.at.size(),
                      node.at.size() == 1 ? "" : "s", grid.dims.size()));
    }
    bool inside = true;
    for (std::size_t d = 0; inside && d < grid.dims.size(); ++d) {
      inside = node.at[d] < grid.dims[d];
    }
    if (!inside) {
      return ErrorAt(path, {node.line, 1},
                     fmt::format("node {}: coordinates {} are outside the grid "
                                 "(expected {} coordinates below {})",
                                 Quoted(node.name), fmt::join(node.at, " "),
                                 grid.dims.size(), fmt::join(grid.dims, ", ")));
    }
    places.emplace_back(grid.VertexAt(node.at), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::string> names;
  names.reserve(places.size());
  auto next = places.begin();
  for (VertexId vertex = 0; vertex < grid.VertexCount(); ++vertex) {
    NodeCount here = 0;
    for (; next != places.end() && next->first == vertex; ++next) {
      CoordinatesFile::Node& node = coordinates.nodes[next->second];
      if (here++ == grid.nodes_per_vertex) {
        return ErrorAt(
            path, {node.line, 1},
            fmt::format("node {}: {} nodes at one vertex (expected at most "
                        "nodes_per_vertex, {})",
                        Quoted(node.name), here, grid.nodes_per_vertex));
      }
      names.push_back(std::move(node.name));
    }
    if (here == 0) {
      grid.holes.push_back(vertex);
    } else if (here < grid.nodes_per_vertex) {
      grid.short_vertices.push_back({vertex, here});
    }
  }
  return names;
}

}  // namespace

absl::StatusOr<NamedTopology> MakeMeshKind(const MachineDescription& machine,
                                           const std::string& file) {
  const Placed<std::string>& option = machine.coordinates;
  const std::string path = ResolvePath(file, option.value);
  std::optional<CoordinatesFile> coordinates;
  if (!option.value.empty()) {
    if (!machine.topology.holes.value.empty()) {
      return ErrorAt(file, machine.topology.holes.place,
                     "topology.holes: specified together with coordinates "
                     "(expected one of the two)");
    }
    auto read = ReadCoordinatesFile(path);
    if (!read.ok()) {
      return ErrorOfNamedFile(file, option.place, "coordinates", read.status());
    }
    coordinates = *std::move(read);
  }
  auto grid =
      ReadGrid(machine.topology, coordinates ? &*coordinates : nullptr, file);
  if (!grid.ok()) return grid.status();
  NamedTopology result;
  if (coordinates) {
    auto names = PlaceNodes(*coordinates, path, *grid);
    if (!names.ok()) return names.status();
    result.names = *std::move(names);
  } else {
    absl::Status status = ReadHoles(machine.topology.holes, file, *grid);
    if (!status.ok()) return status;
  }
  auto mesh = MakeMesh(*std::move(grid));
  if (!mesh.ok()) {
    return ErrorAt(file, machine.topology.place, MessageOf(mesh.status()));
  }
  result.topology = *std::move(mesh);
  return result;
}

}  // namespace coolspan
