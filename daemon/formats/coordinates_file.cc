// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/coordinates_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/hostlist.h"
#include "core/topology.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxDimensions = 6;
constexpr std::array<std::string_view, 3> kCrayAxes = {"x_coord", "y_coord",
                                                       "z_coord"};

// The value of a field of Cray's table, without quotes; empty if the field is
// missing.
std::string_view CrayField(const std::vector<std::string_view>& fields,
                           std::string_view key) {
  for (std::string_view field : fields) {
    if (!field.starts_with(key) || field.size() == key.size() ||
        field[key.size()] != '=') {
      continue;
    }
    field.remove_prefix(key.size() + 1);
    if (field.size() >= 2 && field.front() == '\'' && field.back() == '\'') {
      field = field.substr(1, field.size() - 2);
    }
    return field;
  }
  return {};
}

class CoordinatesReader {
 public:
  CoordinatesReader(const std::string& path, DataLines lines)
      : path_(path), lines_(std::move(lines)) {}

  absl::StatusOr<CoordinatesFile> Read() {
    while (true) {
      const absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      const std::vector<std::string_view> words = Words(lines_.line());
      if (result_.extents.empty()) {
        result_.is_cray_table =
            lines_.line().find('=') != std::string_view::npos;
      }
      const absl::Status status =
          result_.is_cray_table ? AddCrayNode(words) : AddNode(words);
      if (!status.ok()) return status;
      if (result_.nodes.size() > kMaxVertices) {
        return lines_.Error({}, fmt::format("more than {} nodes (expected at "
                                            "most {})",
                                            kMaxVertices, kMaxVertices));
      }
    }
    if (result_.nodes.empty()) {
      return lines_.Error({}, result_.is_cray_table
                                  ? "no compute node (expected lines with "
                                    "processor_type='compute')"
                                  : "no node (expected lines \"NAME X Y Z\")");
    }
    if (result_.is_cray_table) SortById();
    if (absl::Status status = CheckNamesDiffer(); !status.ok()) return status;
    return std::move(result_);
  }

 private:
  absl::Status AddNode(const std::vector<std::string_view>& words);
  absl::Status AddCrayNode(const std::vector<std::string_view>& fields);
  void SortById();
  absl::Status CheckNamesDiffer() const;
  // Appends the coordinate to `to` and extends the extent of the axis; false if
  // the text is not a coordinate.
  bool AddCoordinate(std::string_view text, std::size_t axis,
                     CoordinatesFile::Node& to) {
    const auto coordinate = ParseNumber(text);
    if (!coordinate || *coordinate >= kMaxVertices) return false;
    to.at.push_back(*coordinate);
    std::uint32_t& extent = result_.extents[axis];
    extent = std::max(extent, *coordinate + 1);
    return true;
  }

  const std::string& path_;
  DataLines lines_;
  CoordinatesFile result_;
  std::vector<std::uint32_t> ids_;  // of the nodes of a Cray table
};

absl::Status CoordinatesReader::AddNode(
    const std::vector<std::string_view>& words) {
  const std::size_t dimensions =
      result_.extents.empty() ? words.size() - 1 : result_.extents.size();
  const auto invalid_node = [&](std::string_view part) {
    return lines_.Error(part,
                        fmt::format("{} is not a node (expected a name and {} "
                                    "coordinates from 0 to {})",
                                    Quoted(lines_.line()),
                                    result_.extents.empty()
                                        ? fmt::format("1 to {}", kMaxDimensions)
                                        : fmt::format("{}", dimensions),
                                    kMaxVertices - 1));
  };
  if (words.size() != dimensions + 1 || dimensions == 0 ||
      dimensions > kMaxDimensions) {
    return invalid_node(words.empty() ? std::string_view() : words.front());
  }
  result_.extents.resize(dimensions, 1);
  CoordinatesFile::Node node;
  node.line = lines_.line_number();
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    if (!AddCoordinate(words[axis + 1], axis, node)) {
      return invalid_node(words[axis + 1]);
    }
  }
  const auto name = ExpandHostlist(words[0], 1);
  if (!name.ok() || name->front() != words[0]) {
    return lines_.Error(words[0],
                        fmt::format("{} is not a node name (expected printable "
                                    "ASCII without brackets)",
                                    Quoted(words[0])));
  }
  node.name = words[0];
  result_.nodes.push_back(std::move(node));
  return absl::OkStatus();
}

absl::Status CoordinatesReader::AddCrayNode(
    const std::vector<std::string_view>& fields) {
  const std::string_view type = CrayField(fields, "processor_type");
  if (type != "compute" && type != "service") {
    return lines_.Error(
        type, fmt::format("processor_type: invalid value {} (expected "
                          "compute or service)",
                          Quoted(type)));
  }
  result_.extents.resize(kCrayAxes.size(), 1);
  CoordinatesFile::Node node;
  node.line = lines_.line_number();
  for (std::size_t axis = 0; axis < kCrayAxes.size(); ++axis) {
    const std::string_view value = CrayField(fields, kCrayAxes[axis]);
    if (!AddCoordinate(value, axis, node)) {
      return lines_.Error(
          value, fmt::format("{}: invalid value {} (expected a number from 0 "
                             "to {})",
                             kCrayAxes[axis], Quoted(value), kMaxVertices - 1));
    }
  }
  const std::string_view id = CrayField(fields, "processor_id");
  const auto number = ParseNumber(id);
  if (!number) {
    return lines_.Error(
        id, fmt::format("processor_id: invalid value {} (expected a number "
                        "from 0)",
                        Quoted(id)));
  }
  if (type == "service") return absl::OkStatus();
  node.name = fmt::format("nid{:05}", *number);
  result_.nodes.push_back(std::move(node));
  ids_.push_back(*number);
  return absl::OkStatus();
}

void CoordinatesReader::SortById() {
  std::vector<std::size_t> order(ids_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(
      order.begin(), order.end(),
      [this](std::size_t a, std::size_t b) { return ids_[a] < ids_[b]; });
  std::vector<CoordinatesFile::Node> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) {
    sorted.push_back(std::move(result_.nodes[i]));
  }
  result_.nodes = std::move(sorted);
}

absl::Status CoordinatesReader::CheckNamesDiffer() const {
  absl::flat_hash_map<std::string_view, int> lines;
  lines.reserve(result_.nodes.size());
  for (const CoordinatesFile::Node& node : result_.nodes) {
    const auto [first, is_new] = lines.try_emplace(node.name, node.line);
    if (is_new) continue;
    return ErrorAt(path_, {node.line, 1},
                   fmt::format("node {}: specified more than once, first in "
                               "line {}",
                               Quoted(node.name), first->second));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CoordinatesFile> ReadCoordinatesFile(const std::string& path) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  return CoordinatesReader(path, *std::move(lines)).Read();
}

}  // namespace coolspan
