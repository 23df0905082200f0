// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/machine_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "cli/render/map_planes.h"

namespace coolspan {
namespace {

constexpr std::string_view kGlyphs =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
// Of the xterm palette: bright enough for black letters; consecutive entries
// are easy to tell apart.
constexpr std::array<int, 20> kJobColours = {39,  208, 77,  170, 220, 44, 203,
                                             141, 149, 180, 75,  214, 36, 175,
                                             186, 111, 167, 108, 139, 222};
constexpr int kFreeColour = 238;
constexpr int kSharedColour = 252;
constexpr int kUnavailableColour = 124;
constexpr int kLabelColour = 244;
constexpr int kBlack = 16;
constexpr int kDefaultColour = -1;
constexpr unsigned kGap = 2;  // columns between planes

// How cells become characters.
enum class Form {
  kWide,    // two columns, a letter each
  kNarrow,  // one column, a letter each
  kHalves,  // one column, two rows: coloured half blocks
};

struct Layout {
  Form form = Form::kWide;
  unsigned factor = 1;      // cells of the machine to a cell of the map
  unsigned per_band = 1;    // planes side by side
  unsigned slot_width = 0;  // of a plane or its title, whichever is wider
  unsigned label_width = 0;
};

// Text with colours, written only where they change.
class Brush {
 public:
  explicit Brush(bool colour) : colour_(colour) {}

  void Write(std::string_view text, int fg = kDefaultColour,
             int bg = kDefaultColour) {
    Set(fg, bg);
    text_ += text;
  }
  void EndLine() {
    Set(kDefaultColour, kDefaultColour);
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  std::string Take() { return std::move(text_); }

 private:
  void Set(int fg, int bg) {
    if (!colour_ || (fg == fg_ && bg == bg_)) return;
    if (fg == kDefaultColour && bg == kDefaultColour) {
      text_ += "\x1b[0m";
    } else {
      text_ +=
          fg == kDefaultColour ? "\x1b[39;" : fmt::format("\x1b[38;5;{};", fg);
      text_ += bg == kDefaultColour ? "49m" : fmt::format("48;5;{}m", bg);
    }
    fg_ = fg;
    bg_ = bg;
  }

  bool colour_;
  int fg_ = kDefaultColour;
  int bg_ = kDefaultColour;
  std::string text_;
};

// How a job is drawn: places in kGlyphs and kJobColours.
struct Look {
  std::size_t glyph;
  std::size_t colour;
};

// The first unused number of [0, count) from preferred on, wrapping around.
// Once all are used, all become unused again.
std::size_t TakeNext(std::size_t preferred, std::size_t count,
                     std::set<std::size_t>& used) {
  if (used.size() == count) used.clear();
  while (!used.insert(preferred).second) preferred = (preferred + 1) % count;
  return preferred;
}

// By job id, so that a job usually looks the same on consecutive maps. Two jobs
// look alike only once all letters or colours are used.
std::vector<Look> AssignLooks(const std::vector<MapJob>& jobs) {
  std::vector<Look> looks;
  looks.reserve(jobs.size());
  std::set<std::size_t> glyphs;
  std::set<std::size_t> colours;
  for (const MapJob& job : jobs) {
    looks.push_back(
        {TakeNext(job.job_id % kGlyphs.size(), kGlyphs.size(), glyphs),
         TakeNext(job.job_id % kJobColours.size(), kJobColours.size(),
                  colours)});
  }
  return looks;
}

class MapDrawing {
 public:
  MapDrawing(const Occupancy& occupancy, MapStyle style)
      : occupancy_(occupancy),
        style_(style),
        looks_(AssignLooks(occupancy.jobs)),
        brush_(style.colour) {}

  std::string Draw() {
    std::vector<Plane> planes = PlanesOf(occupancy_, StripWidth());
    layout_ = ChooseLayout(planes);
    for (Plane& plane : planes) plane = ScaledDown(plane, layout_.factor);
    for (std::size_t first = 0; first < planes.size();
         first += layout_.per_band) {
      const std::size_t count =
          std::min<std::size_t>(layout_.per_band, planes.size() - first);
      DrawBand({planes.data() + first, count});
    }
    DrawLegend();
    return brush_.Take();
  }

 private:
  static constexpr unsigned kMaxLines = 200;

  bool is_strip() const {
    return !occupancy_.grid.has_value() || occupancy_.grid->dims.size() < 2;
  }
  unsigned LabelWidth(const Plane& plane) const {
    const unsigned last = is_strip() ? occupancy_.node_count : plane.height;
    return static_cast<unsigned>(std::to_string(last).size()) + 1;
  }
  // A multiple of eight, so that row labels are round numbers.
  unsigned StripWidth() const {
    const unsigned labels =
        static_cast<unsigned>(std::to_string(occupancy_.node_count).size()) + 1;
    const unsigned width =
        style_.columns > labels ? style_.columns - labels : 2;
    const unsigned wide = width / 2 / 8 * 8;
    const bool tall = occupancy_.node_count > wide * kMaxLines / 2;
    return std::max(8U, tall ? width / 8 * 8 : wide);
  }

  Layout ChooseLayout(const std::vector<Plane>& planes) const {
    const Plane& plane = planes.front();
    Layout layout;
    layout.label_width = LabelWidth(plane);
    const unsigned max_width = style_.columns > layout.label_width
                                   ? style_.columns - layout.label_width
                                   : 1;
    const auto fits = [&](Form form, unsigned factor) {
      const unsigned width =
          (plane.width + factor - 1) / factor * (form == Form::kWide ? 2 : 1);
      if (width > max_width && factor < plane.width) return false;
      layout.form = form;
      layout.factor = factor;
      layout.slot_width =
          std::max(width, static_cast<unsigned>(planes.back().title.size()));
      layout.per_band =
          std::max(1U, (max_width + kGap) / (layout.slot_width + kGap));
      const std::size_t bands =
          (planes.size() + layout.per_band - 1) / layout.per_band;
      const unsigned rows = (plane.height + factor - 1) / factor;
      return bands * (form == Form::kHalves ? rows / 2 + 2 : rows + 2) <=
             kMaxLines;
    };
    if (fits(Form::kWide, 1)) return layout;
    const Form small = style_.colour ? Form::kHalves : Form::kNarrow;
    const unsigned largest = std::max(plane.width, plane.height);
    for (unsigned factor = 1; factor <= largest; ++factor) {
      if (fits(small, factor)) break;
    }
    return layout;
  }

  void DrawBand(std::span<const Plane> planes) {
    DrawTitles(planes);
    const unsigned step = layout_.form == Form::kHalves ? 2 : 1;
    const unsigned width =
        planes.front().width * (layout_.form == Form::kWide ? 2 : 1);
    for (unsigned y = 0; y < planes.front().height; y += step) {
      const unsigned row = y * layout_.factor;
      const unsigned label = is_strip() ? row * planes.front().width : row;
      brush_.Write(fmt::format("{:>{}} ", label, layout_.label_width - 1),
                   kLabelColour);
      for (std::size_t p = 0; p < planes.size(); ++p) {
        if (p > 0) {
          brush_.Write(std::string(kGap + layout_.slot_width - width, ' '));
        }
        for (unsigned x = 0; x < planes[p].width; ++x) {
          DrawCell(planes[p].At(x, y), planes[p].At(x, y + 1));
        }
      }
      brush_.EndLine();
    }
  }

  void DrawTitles(std::span<const Plane> planes) {
    if (planes.front().title.empty()) return;
    std::string line(layout_.label_width, ' ');
    for (const Plane& plane : planes) {
      line += fmt::format("{:<{}}", plane.title, layout_.slot_width + kGap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    brush_.Write(line, kLabelColour);
    brush_.EndLine();
  }

  bool IsFilled(Cell cell) const {
    const std::string& state = occupancy_.jobs[cell].state;
    return state != "tentative" && state != "suspended";
  }
  int ColourOf(Cell cell) const {
    if (cell == kFreeCell) return kFreeColour;
    if (cell == kSharedCell) return kSharedColour;
    if (cell == kUnavailableCell) return kUnavailableColour;
    if (cell == kNoCell) return kDefaultColour;
    return kJobColours[looks_[cell].colour];
  }

  void DrawCell(Cell cell, Cell below) {
    if (layout_.form == Form::kHalves) {
      DrawHalves(ColourOf(cell), ColourOf(below));
      return;
    }
    const std::string_view space = layout_.form == Form::kWide ? " " : "";
    if (cell == kNoCell) {
      brush_.Write(fmt::format(" {}", space));
    } else if (cell == kFreeCell) {
      brush_.Write(fmt::format("{}{}", style_.colour ? "·" : ".", space),
                   kLabelColour);
    } else if (cell == kUnavailableCell) {
      brush_.Write(fmt::format("x{}", space), kUnavailableColour);
    } else if (cell == kSharedCell) {
      brush_.Write(fmt::format("+{}", space), kBlack, kSharedColour);
    } else {
      DrawJob(cell, space);
    }
  }

  void DrawJob(Cell cell, std::string_view space) {
    const char glyph = kGlyphs[looks_[cell].glyph];
    if (IsFilled(cell)) {
      brush_.Write(fmt::format("{}{}", glyph, space), kBlack, ColourOf(cell));
    } else {
      brush_.Write(fmt::format("{}{}", glyph, space), ColourOf(cell));
    }
  }

  void DrawHalves(int upper, int lower) {
    if (upper == kDefaultColour && lower == kDefaultColour) {
      brush_.Write(" ");
    } else if (upper == kDefaultColour) {
      brush_.Write("▄", lower);
    } else {
      brush_.Write("▀", upper, lower);
    }
  }

  void DrawLegend() {
    constexpr std::size_t kMaxListedJobs = 24;
    const auto& jobs = occupancy_.jobs;
    brush_.EndLine();
    for (std::size_t j = 0; j < std::min(jobs.size(), kMaxListedJobs); ++j) {
      DrawJob(static_cast<Cell>(j), " ");
      const std::string head = fmt::format(
          " job {} {}, {} node{}: ", jobs[j].job_id, jobs[j].state,
          jobs[j].nodes.size(), jobs[j].nodes.size() == 1 ? "" : "s");
      brush_.Write(head);
      const std::size_t used = head.size() + 2;
      const std::size_t width =
          style_.columns > used + 12 ? style_.columns - used : 12;
      std::string list = jobs[j].hostlist;
      if (list.size() > width) list = list.substr(0, width - 3) + "...";
      brush_.Write(list);
      brush_.EndLine();
    }
    if (jobs.size() > kMaxListedJobs) {
      brush_.Write(
          fmt::format("and {} more jobs", jobs.size() - kMaxListedJobs));
      brush_.EndLine();
    }
    DrawTotals();
  }

  void DrawTotals() {
    std::set<NodeId> held;
    for (const MapJob& job : occupancy_.jobs) {
      held.insert(job.nodes.begin(), job.nodes.end());
    }
    const std::size_t unavailable = occupancy_.unavailable.size();
    held.insert(occupancy_.unavailable.begin(), occupancy_.unavailable.end());
    brush_.Write(fmt::format(
        "{} of {} nodes free{}", occupancy_.node_count - held.size(),
        occupancy_.node_count,
        unavailable == 0 ? ""
                         : fmt::format(", {} unavailable (x)", unavailable)));
    brush_.EndLine();
    if (layout_.factor > 1) {
      brush_.Write(
          fmt::format("cell: majority of {0} x {0} nodes", layout_.factor));
      brush_.EndLine();
    }
    if (is_strip()) {
      brush_.Write("nodes in machine file order");
      brush_.EndLine();
    }
  }

  const Occupancy& occupancy_;
  MapStyle style_;
  std::vector<Look> looks_;
  Layout layout_;
  Brush brush_;
};

}  // namespace

std::string DrawMap(const Occupancy& occupancy, MapStyle style) {
  return MapDrawing(occupancy, style).Draw();
}

}  // namespace coolspan
