// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/node_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "formats/data_lines.h"
#include "replay/input/trace_time.h"

namespace coolspan {
namespace {

using State = NodeEvent::State;

constexpr std::string_view kEventColumns = "time_s,state,nodes";

constexpr std::array<std::pair<std::string_view, State>, 3> kStates = {{
    {"down", State::kDown},
    {"drain", State::kDrain},
    {"resume", State::kResume},
}};

absl::StatusOr<TimeMs> ReadTime(const DataLines& lines,
                                std::string_view field) {
  double time_s = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, time_s);
  if (error != std::errc{} || stop != end ||
      !(std::abs(time_s) <= kMaxTraceTimeS)) {
    return lines.Error(
        field, fmt::format("time '{}' is not valid (expected seconds on the "
                           "clock of the trace, at most {})",
                           field, kMaxTraceTimeS));
  }
  return ToMs(time_s);
}

absl::StatusOr<State> ReadState(const DataLines& lines,
                                std::string_view field) {
  for (const auto& [name, state] : kStates) {
    if (name == field) return state;
  }
  return lines.Error(
      field,
      fmt::format("state '{}' is not valid (expected down, drain or resume)",
                  field));
}

absl::StatusOr<NodeEvent> ReadEvent(const DataLines& lines,
                                    const Machine& machine) {
  const std::string_view line = lines.line();
  const std::size_t first = line.find(',');
  const std::size_t second =
      first == std::string_view::npos ? first : line.find(',', first + 1);
  if (second == std::string_view::npos) {
    return lines.Error(
        {}, fmt::format("too few fields (expected {})", kEventColumns));
  }
  const absl::StatusOr<TimeMs> time =
      ReadTime(lines, CsvField(line.substr(0, first)));
  if (!time.ok()) return time.status();
  const absl::StatusOr<State> state =
      ReadState(lines, CsvField(line.substr(first + 1, second - first - 1)));
  if (!state.ok()) return state.status();
  const std::string_view list = CsvField(line.substr(second + 1));
  const absl::StatusOr<NodeSet> nodes = machine.ParseNodes(list);
  if (!nodes.ok()) {
    const std::string message(nodes.status().message());
    return lines.Error(list, message);
  }
  if (nodes->Empty()) {
    return lines.Error(list, "no nodes (expected a hostlist)");
  }
  return NodeEvent{.at_ms = *time, .state = *state, .nodes = nodes->Members()};
}

}  // namespace

absl::StatusOr<std::vector<NodeEvent>> ReadNodeEvents(const std::string& path,
                                                      const Machine& machine) {
  absl::StatusOr<DataLines> lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  absl::StatusOr<bool> more = lines->Next();
  if (!more.ok()) return more.status();
  if (!*more || CsvField(lines->line()) != kEventColumns) {
    return lines->Error(
        {}, fmt::format("no header line (expected {})", kEventColumns));
  }
  std::vector<NodeEvent> events;
  for (;;) {
    more = lines->Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::StatusOr<NodeEvent> event = ReadEvent(*lines, machine);
    if (!event.ok()) return event.status();
    events.push_back(*std::move(event));
  }
  std::stable_sort(
      events.begin(), events.end(),
      [](const NodeEvent& a, const NodeEvent& b) { return a.at_ms < b.at_ms; });
  return events;
}

}  // namespace coolspan
