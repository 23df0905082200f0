// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/places_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/hostlist.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"node", "rack", "slot",
                                                      "row"};
enum PlaceColumn : std::size_t {
  kPlaceNode,
  kPlaceRack,
  kPlaceSlot,
  kPlaceRow
};

bool IsHostName(std::string_view name) {
  const auto names = ExpandHostlist(name, 1);
  return names.ok() && names->size() == 1 && names->front() == name;
}

class PlacesReader {
 public:
  explicit PlacesReader(DataLines lines) : lines_(std::move(lines)) {}

  absl::StatusOr<RoomPlaces> Read();

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  absl::Status ReadHeader();
  absl::Status ReadLine();
  absl::Status Add(const RoomPlaces::Node& node, std::string_view name);
  // The number of the name, a new one if it is new.
  static std::uint32_t NumberOf(std::vector<std::string>& names,
                                std::string_view name);

  DataLines lines_;
  std::size_t columns_ = 0;
  std::array<std::size_t, kColumns.size()> index_{};
  std::vector<std::string> row_names_;
  std::map<std::string, Key, std::less<>> place_of_;
  std::map<Key, std::string> node_at_;
  RoomPlaces places_;
};

std::uint32_t PlacesReader::NumberOf(std::vector<std::string>& names,
                                     std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto number = static_cast<std::uint32_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return number;
}

absl::Status PlacesReader::ReadHeader() {
  const std::vector<std::string_view> fields = CsvFields(lines_.line());
  columns_ = fields.size();
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    const auto found =
        std::find(fields.begin(), fields.end(), kColumns[column]);
    index_[column] = static_cast<std::size_t>(found - fields.begin());
    if (found != fields.end() || column == kPlaceRow) continue;
    return lines_.Error(
        {}, fmt::format("column {}: missing (expected node, rack, slot and "
                        "optionally row, separated by commas)",
                        kColumns[column]));
  }
  return absl::OkStatus();
}

absl::Status PlacesReader::ReadLine() {
  const std::vector<std::string_view> fields = CsvFields(lines_.line());
  if (fields.size() != columns_) {
    return lines_.Error({}, fmt::format("{} values (expected {}, one per "
                                        "column of the first line)",
                                        fields.size(), columns_));
  }
  const std::string_view name = fields[index_[kPlaceNode]];
  if (!IsHostName(name)) {
    return lines_.Error(name, fmt::format("{} is not a node name (expected one "
                                          "host name)",
                                          Quoted(name)));
  }
  const std::string_view rack = fields[index_[kPlaceRack]];
  if (rack.empty()) {
    return lines_.Error({}, "the rack is empty (expected its name)");
  }
  const std::string_view slot = fields[index_[kPlaceSlot]];
  const auto number = ParseNumber(slot);
  if (!number || *number < 1 || *number > kMaxSlot) {
    return lines_.Error(slot, fmt::format("{} is not a slot (expected a number "
                                          "from 1 at the floor to {})",
                                          Quoted(slot), kMaxSlot));
  }
  RoomPlaces::Node node{std::string(name)};
  node.row = NumberOf(row_names_, index_[kPlaceRow] < columns_
                                      ? fields[index_[kPlaceRow]]
                                      : std::string_view());
  places_.rack_names.resize(row_names_.size());
  node.rack = NumberOf(places_.rack_names[node.row], rack);
  node.slot = *number - 1;
  return Add(node, name);
}

absl::Status PlacesReader::Add(const RoomPlaces::Node& node,
                               std::string_view name) {
  const Key place{node.row, node.rack, node.slot};
  const auto [known, is_new] = place_of_.try_emplace(node.name, place);
  if (!is_new) {
    if (known->second == place) return absl::OkStatus();
    return lines_.Error(name, fmt::format("node {}: at two places (expected "
                                          "one)",
                                          node.name));
  }
  const auto [at, is_free] = node_at_.try_emplace(place, node.name);
  if (!is_free) {
    return lines_.Error(
        name, fmt::format("node {}: at the place of node {} (expected one node "
                          "per slot)",
                          node.name, at->second));
  }
  places_.slots = std::max(places_.slots, node.slot + 1);
  places_.nodes.push_back(node);
  if (std::uint64_t{places_.rows()} * places_.racks() * places_.slots >
      kMaxPlaces) {
    return lines_.Error(
        {}, fmt::format("more than {} slots in all racks", kMaxPlaces));
  }
  return absl::OkStatus();
}

absl::StatusOr<RoomPlaces> PlacesReader::Read() {
  for (bool is_first = true;; is_first = false) {
    const absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::Status status = is_first ? ReadHeader() : ReadLine();
    if (!status.ok()) return status;
  }
  if (places_.nodes.empty()) {
    return lines_.Error({},
                        "no nodes (expected a line with node,rack,slot and "
                        "one per node)");
  }
  std::ranges::sort(places_.nodes, {}, [this](const RoomPlaces::Node& node) {
    return node.VertexIn(places_);
  });
  return std::move(places_);
}

}  // namespace

std::uint32_t RoomPlaces::racks() const {
  std::size_t most = 0;
  for (const auto& names : rack_names) most = std::max(most, names.size());
  return static_cast<std::uint32_t>(most);
}

absl::StatusOr<RoomPlaces> ReadPlacesFile(const std::string& path) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  return PlacesReader(*std::move(lines)).Read();
}

}  // namespace coolspan
