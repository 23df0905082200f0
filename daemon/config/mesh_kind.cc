// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/mesh_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <utility>

#include "config/option_reader.h"
#include "config/option_value.h"
#include "config/relative_path.h"
#include "topology/mesh.h"

namespace coolspan {
namespace {

// Cut at blanks and commas.
std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kSeparators = " \t\r\n,";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(kSeparators);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    words.push_back(text.substr(0, text.find_first_of(kSeparators)));
    text.remove_prefix(words.back().size());
  }
}

bool ParseNumber(std::string_view text, std::uint32_t& out) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end;
}

absl::StatusOr<Grid> ReadGrid(const MachineDescription::TopologyPart& part,
                              const std::string& file) {
  if (part.dims.value.empty()) {
    return ErrorAt(file, part.place,
                   "topology.dims is missing; a list of one to six extents is "
                   "wanted");
  }
  if (part.dims.value.size() > 6) {
    return ErrorAt(
        file, part.dims.place,
        fmt::format("topology.dims has {} entries; one to six are wanted",
                    part.dims.value.size()));
  }
  Grid grid;
  std::uint64_t vertices = 1;
  for (const std::int64_t extent : part.dims.value) {
    grid.dims.push_back(static_cast<std::uint32_t>(extent));
    vertices = std::min<std::uint64_t>(
        vertices * static_cast<std::uint64_t>(extent), std::uint64_t{1} << 40);
  }
  const auto per_vertex =
      static_cast<std::uint64_t>(part.nodes_per_vertex.value);
  if (vertices * per_vertex > kMaxMeshVertices) {
    return ErrorAt(file, part.dims.place,
                   fmt::format("topology.dims and nodes_per_vertex make more "
                               "than {} nodes; fewer are wanted",
                               kMaxMeshVertices));
  }
  grid.wrap = part.wrap.value;
  if (grid.wrap.empty()) grid.wrap.assign(grid.dims.size(), false);
  if (grid.wrap.size() != grid.dims.size()) {
    return ErrorAt(
        file, part.wrap.place,
        fmt::format("topology.wrap has {} entries; as many as dims has are "
                    "wanted, {}",
                    grid.wrap.size(), grid.dims.size()));
  }
  grid.nodes_per_vertex = static_cast<NodeCount>(per_vertex);
  return grid;
}

// "7" or "7-9", appended to holes.
bool AppendHoles(std::string_view word, VertexId vertices,
                 std::vector<VertexId>& holes) {
  const std::size_t dash = word.find('-');
  VertexId first = 0;
  VertexId last = 0;
  if (!ParseNumber(word.substr(0, dash), first)) return false;
  if (dash == std::string_view::npos) {
    last = first;
  } else if (!ParseNumber(word.substr(dash + 1), last)) {
    return false;
  }
  if (last < first || last >= vertices) return false;
  if (holes.size() + (last - first) >= vertices) return false;
  for (VertexId vertex = first; vertex <= last; ++vertex) {
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
          ReadTextFile(PathBeside(file, entry.substr(1)));
      if (!list.ok()) {
        return ErrorAt(file, entries.place, MessageOf(list.status()));
      }
      text = *std::move(list);
    }
    for (const std::string_view word : Words(text)) {
      if (!AppendHoles(word, vertices, grid.holes)) {
        return ErrorAt(file, entries.place,
                       fmt::format("topology.holes has {}; a vertex from 0 to "
                                   "{} or a rising range of them, each once, "
                                   "is wanted",
                                   Quoted(word), vertices - 1));
      }
    }
  }
  std::sort(grid.holes.begin(), grid.holes.end());
  const auto twice = std::adjacent_find(grid.holes.begin(), grid.holes.end());
  if (twice != grid.holes.end()) {
    return ErrorAt(
        file, entries.place,
        fmt::format("topology.holes names vertex {} twice; once is wanted",
                    *twice));
  }
  return absl::OkStatus();
}

// A line of a coordinates file: its vertex and name.
absl::StatusOr<std::pair<VertexId, std::string>> ReadCoordinates(
    std::string_view line, const Grid& grid, const std::string& path,
    int line_number) {
  const std::vector<std::string_view> words = Words(line);
  std::vector<std::uint32_t> at(grid.dims.size());
  bool good = words.size() == at.size() + 1;
  for (std::size_t d = 0; good && d < at.size(); ++d) {
    good = ParseNumber(words[d + 1], at[d]) && at[d] < grid.dims[d];
  }
  if (!good) {
    return ErrorAt(
        path, {line_number, 1},
        fmt::format("{} is no node; a name and {} coordinates below "
                    "{} are wanted",
                    Quoted(line), at.size(), fmt::join(grid.dims, ", ")));
  }
  return std::make_pair(grid.VertexAt(at), std::string(words[0]));
}

absl::StatusOr<std::vector<std::string>> ReadCoordinatesFile(
    const std::string& path, Grid& grid) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  std::vector<std::vector<std::string>> names_at(grid.VertexCount());
  int line_number = 0;
  std::istringstream lines(*std::move(text));
  for (std::string whole; std::getline(lines, whole);) {
    ++line_number;
    const std::string_view line(whole.data(),
                                std::min(whole.find('#'), whole.size()));
    if (Words(line).empty()) continue;
    auto node = ReadCoordinates(line, grid, path, line_number);
    if (!node.ok()) return node.status();
    std::vector<std::string>& here = names_at[node->first];
    if (here.size() == grid.nodes_per_vertex) {
      return ErrorAt(path, {line_number, 1},
                     fmt::format("{} is node {} of its vertex; "
                                 "nodes_per_vertex, {}, are wanted",
                                 Quoted(node->second), here.size() + 1,
                                 grid.nodes_per_vertex));
    }
    here.push_back(std::move(node->second));
  }
  std::vector<std::string> names;
  for (VertexId vertex = 0; vertex < names_at.size(); ++vertex) {
    std::vector<std::string>& here = names_at[vertex];
    if (here.empty()) {
      grid.holes.push_back(vertex);
      continue;
    }
    if (here.size() != grid.nodes_per_vertex) {
      return ErrorAt(
          path, {},
          fmt::format("the vertex of {} has {} nodes; "
                      "nodes_per_vertex, {}, are wanted",
                      Quoted(here[0]), here.size(), grid.nodes_per_vertex));
    }
    std::move(here.begin(), here.end(), std::back_inserter(names));
  }
  return names;
}

}  // namespace

absl::StatusOr<NamedTopology> MakeMeshKind(const MachineDescription& machine,
                                           const std::string& file) {
  absl::StatusOr<Grid> grid = ReadGrid(machine.topology, file);
  if (!grid.ok()) return grid.status();
  NamedTopology result;
  if (!machine.coordinates.value.empty()) {
    if (!machine.topology.holes.value.empty()) {
      return ErrorAt(file, machine.topology.holes.place,
                     "topology.holes is given beside coordinates, which say "
                     "that already; leave one out");
    }
    auto names =
        ReadCoordinatesFile(PathBeside(file, machine.coordinates.value), *grid);
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
