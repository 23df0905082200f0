// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/heat_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "cli/render/map_planes.h"
#include "core/element_text.h"

namespace coolspan {
namespace {

constexpr int kLevels = 10;  // below the redline

// Of the xterm palette: blue to yellow, red at the redline.
constexpr std::array<int, kLevels + 1> kHeatColours = {
    27, 33, 39, 44, 49, 84, 120, 156, 192, 220, 196};

int LevelOf(const Room& room, double inlet_c) {
  if (inlet_c >= room.redline_c()) return kLevels;
  const double share =
      (inlet_c - room.supply_c()) / (room.redline_c() - room.supply_c());
  return static_cast<int>(std::clamp(share * kLevels, 0.0, kLevels - 1.0));
}

// The levels as the jobs of a map, to draw them with PlanesOf().
Occupancy LevelsOf(const Machine& machine, std::span<const double> inlet_c) {
  Occupancy levels{machine.node_count(), std::nullopt, {}};
  if (machine.topology().grid() != nullptr) {
    levels.grid = *machine.topology().grid();
  }
  levels.jobs.resize(kLevels + 1);
  const Room& room = *machine.room();
  for (NodeId node = 0; node < machine.node_count(); ++node) {
    const int level = LevelOf(room, inlet_c[room.ZoneOf(node)]);
    levels.jobs[static_cast<std::size_t>(level)].nodes.push_back(node);
  }
  return levels;
}

void DrawCell(Cell cell, bool colour, std::string& text) {
  if (cell < 0) {
    text += "  ";
  } else if (colour) {
    text += fmt::format("\x1b[48;5;{}m  \x1b[0m",
                        kHeatColours[static_cast<std::size_t>(cell)]);
  } else {
    text += cell == kLevels ? " !" : fmt::format(" {}", cell);
  }
}

std::string Legend(const Room& room, MapStyle style) {
  return style.colour
             ? fmt::format(
                   "blue: {0} C; yellow: below {1} C; red: {1} C and above\n",
                   room.supply_c(), room.redline_c())
             : fmt::format("0: {0} C; 9: below {1} C; !: {1} C and above\n",
                           room.supply_c(), room.redline_c());
}

constexpr int kNoNode = -1;

// The levels of a row of racks, by slot, then rack.
std::vector<std::vector<int>> LevelsOfRow(const Machine& machine,
                                          std::span<const double> inlet_c,
                                          const PlacedZones& placed,
                                          std::uint32_t row) {
  const RoomPlaces& places = placed.places;
  std::vector<std::vector<int>> levels(
      places.slots, std::vector<int>(places.rack_names[row].size(), kNoNode));
  const Room& room = *machine.room();
  for (std::size_t i = 0; i < placed.nodes.size(); ++i) {
    const RoomPlaces::Node& at = places.nodes[i];
    if (at.row != row) continue;
    levels[at.slot][at.rack] =
        LevelOf(room, inlet_c[room.ZoneOf(placed.nodes[i])]);
  }
  return levels;
}

// As a browser takes it.
std::string ColourOf(int level) {
  // The colours of kHeatColours.
  constexpr std::array<std::string_view, kLevels + 1> kWeb = {
      "#005fff", "#0087ff", "#00afff", "#00d7d7", "#00ffaf", "#5fff87",
      "#87ff87", "#afff87", "#d7ff87", "#ffd700", "#ff0000"};
  return std::string(kWeb[static_cast<std::size_t>(level)]);
}

}  // namespace

absl::StatusOr<PlacedZones> PlacesOn(const Machine& machine,
                                     RoomPlaces places) {
  PlacedZones placed;
  for (const RoomPlaces::Node& at : places.nodes) {
    const auto node = machine.FindNode(at.name);
    if (!node) {
      return absl::InvalidArgumentError(
          fmt::format("{} is not a node (expected nodes of machine {})",
                      at.name, machine.name()));
    }
    placed.nodes.push_back(*node);
  }
  placed.places = std::move(places);
  return placed;
}

std::string DrawRacks(const Machine& machine, std::span<const double> inlet_c,
                      const PlacedZones& placed, MapStyle style) {
  const RoomPlaces& places = placed.places;
  std::size_t width = 1;
  for (const auto& names : places.rack_names) {
    for (const std::string& name : names) width = std::max(width, name.size());
  }
  ++width;
  const std::size_t label = std::to_string(places.slots).size();
  const std::size_t fit = std::max<std::size_t>(
      1, (std::max<std::size_t>(style.columns, label) - label) / width);
  std::string text;
  for (std::uint32_t row = 0; row < places.rows(); ++row) {
    const auto levels = LevelsOfRow(machine, inlet_c, placed, row);
    const std::vector<std::string>& names = places.rack_names[row];
    for (std::size_t from = 0; from < names.size(); from += fit) {
      const std::size_t to = std::min(names.size(), from + fit);
      if (!text.empty()) text += "\n";
      text += fmt::format("{:{}}", "", label);
      for (std::size_t rack = from; rack < to; ++rack) {
        text += fmt::format("{:>{}}", names[rack], width);
      }
      text += "\n";
      for (std::uint32_t slot = places.slots; slot-- > 0;) {
        std::string line = fmt::format("{:>{}}", slot + 1, label);
        for (std::size_t rack = from; rack < to; ++rack) {
          const int level = levels[slot][rack];
          line += std::string(width - 2, ' ');
          DrawCell(level == kNoNode ? kFreeCell : level, style.colour, line);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
      }
    }
  }
  return text + Legend(*machine.room(), style);
}

std::string DrawRacksSvg(const Machine& machine,
                         std::span<const double> inlet_c,
                         const PlacedZones& placed) {
  constexpr std::uint32_t kWidth = 40;
  constexpr std::uint32_t kHeight = 10;
  constexpr std::uint32_t kTop = 20;  // for the names of the racks
  const RoomPlaces& places = placed.places;
  const Room& room = *machine.room();
  const std::uint32_t row_height = kTop + kHeight * places.slots;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n",
      kWidth * places.racks(), row_height * places.rows() + kTop);
  for (std::uint32_t row = 0; row < places.rows(); ++row) {
    for (std::size_t rack = 0; rack < places.rack_names[row].size(); ++rack) {
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n",
                         kWidth * rack + 2, row * row_height + kTop - 4,
                         ElementText(places.rack_names[row][rack]));
    }
  }
  for (std::size_t i = 0; i < placed.nodes.size(); ++i) {
    const RoomPlaces::Node& at = places.nodes[i];
    const double c = inlet_c[room.ZoneOf(placed.nodes[i])];
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\">"
        "<title>{}: {:.2f} C</title></rect>\n",
        kWidth * at.rack,
        at.row * row_height + kTop + kHeight * (places.slots - 1 - at.slot),
        kWidth - 2, kHeight - 1, ColourOf(LevelOf(room, c)),
        ElementText(at.name), c);
  }
  svg += fmt::format(
      "<text x=\"2\" y=\"{}\">blue: {} C; red: {} C and "
      "above</text>\n</svg>\n",
      row_height * places.rows() + kTop - 4, room.supply_c(), room.redline_c());
  return svg;
}

std::string DrawHeat(const Machine& machine, std::span<const double> inlet_c,
                     MapStyle style) {
  const unsigned fit = std::max(1U, style.columns / 2);
  std::string text;
  for (const Plane& whole : PlanesOf(LevelsOf(machine, inlet_c), fit)) {
    const Plane plane = ScaledDown(whole, (whole.width + fit - 1) / fit);
    if (!plane.title.empty()) text += plane.title + "\n";
    for (unsigned y = 0; y < plane.height; ++y) {
      std::string line;
      for (unsigned x = 0; x < plane.width; ++x) {
        DrawCell(plane.At(x, y), style.colour, line);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text + Legend(*machine.room(), style);
}

}  // namespace coolspan
