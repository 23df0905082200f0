// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/heat_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/render/map_planes.h"

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

}  // namespace

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
  const Room& room = *machine.room();
  text += style.colour
              ? fmt::format(
                    "blue: {0} C; yellow: below {1} C; red: {1} C and above\n",
                    room.supply_c(), room.redline_c())
              : fmt::format("0: {0} C; 9: below {1} C; !: {1} C and above\n",
                            room.supply_c(), room.redline_c());
  return text;
}

}  // namespace coolspan
