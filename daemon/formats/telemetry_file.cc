// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/telemetry_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

using Columns = TelemetryColumns;
using Column = Columns::Column;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMinC = -50;
constexpr double kMaxC = 150;
constexpr double kMaxW = 1e7;
constexpr std::size_t kMaxValues = std::size_t{1} << 27;  // 1 GiB

struct Reading {
  double time_s = 0;
  NodeId node = 0;
  double inlet_c = kMissing;
  double power_w = kMissing;
  double supply_c = kMissing;
};

class TelemetryReader {
 public:
  // Read appends to readings.
  TelemetryReader(DataLines lines, const Machine& machine,
                  const Columns& columns, std::vector<Reading>& readings)
      : lines_(std::move(lines)),
        machine_(machine),
        names_(columns),
        readings_(readings) {}

  absl::Status Read() {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok()) return more.status();
    if (!*more) {
      return lines_.Error(
          {},
          "file is empty (expected a line with the names of the "
          "columns)");
    }
    absl::Status status = ReadHeader();
    if (!status.ok()) return status;
    while (true) {
      more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
      if (status = ReadLine(); !status.ok()) return status;
    }
  }

 private:
  absl::Status MissingColumn(Column column) const {
    return lines_.Error(
        {}, fmt::format("column {}: missing (expected {}, {}, {} and {}; "
                        "columns are separated by commas, other names with "
                        "--columns)",
                        names_.NameOf(column), names_.NameOf(Columns::kTime),
                        names_.NameOf(Columns::kNode),
                        names_.NameOf(Columns::kInlet),
                        names_.NameOf(Columns::kPower)));
  }
  absl::Status ReadHeader();
  absl::Status ReadLine();
  // kMissing if the field is empty, "nan" or out of bounds.
  absl::StatusOr<double> ReadSensor(std::string_view field, double min,
                                    double max) const;
  absl::StatusOr<double> ReadNumber(std::string_view field) const;
  absl::StatusOr<double> ReadTime(std::string_view field) const;

  DataLines lines_;
  const Machine& machine_;
  std::size_t columns_ = 0;
  // Index of each column; columns_: not in the file.
  std::array<std::size_t, Columns::kCount> index_{};
  const Columns& names_;
  std::vector<Reading>& readings_;
};

absl::Status TelemetryReader::ReadHeader() {
  const std::vector<std::string_view> fields = CsvFields(lines_.line());
  columns_ = fields.size();
  for (std::size_t column = 0; column < Columns::kCount; ++column) {
    const auto found = std::find(fields.begin(), fields.end(),
                                 names_.NameOf(static_cast<Column>(column)));
    index_[column] = static_cast<std::size_t>(found - fields.begin());
    if (found == fields.end()) {
      if (column == Columns::kSupply) continue;
      return MissingColumn(static_cast<Column>(column));
    }
    const auto again = std::find(std::next(found), fields.end(), *found);
    if (again != fields.end()) {
      return lines_.Error(
          *again, fmt::format("column {}: specified more than once", *again));
    }
  }
  return absl::OkStatus();
}

absl::Status TelemetryReader::ReadLine() {
  const std::vector<std::string_view> fields = CsvFields(lines_.line());
  if (fields.size() != columns_) {
    return lines_.Error({}, fmt::format("{} values (expected {}, one per "
                                        "column of the first line)",
                                        fields.size(), columns_));
  }
  Reading reading;
  const std::string_view name = fields[index_[Columns::kNode]];
  const auto node = machine_.FindNode(name);
  if (!node) {
    return lines_.Error(
        name, fmt::format("{} is not a node (expected a node of machine {})",
                          Quoted(name), machine_.name()));
  }
  reading.node = *node;
  const auto time_s = ReadTime(fields[index_[Columns::kTime]]);
  if (!time_s.ok()) return time_s.status();
  reading.time_s = *time_s;
  const auto inlet_c =
      ReadSensor(fields[index_[Columns::kInlet]], kMinC, kMaxC);
  if (!inlet_c.ok()) return inlet_c.status();
  reading.inlet_c = *inlet_c;
  const auto power_w = ReadSensor(fields[index_[Columns::kPower]], 0, kMaxW);
  if (!power_w.ok()) return power_w.status();
  reading.power_w = *power_w;
  if (index_[Columns::kSupply] < columns_) {
    const auto supply_c =
        ReadSensor(fields[index_[Columns::kSupply]], kMinC, kMaxC);
    if (!supply_c.ok()) return supply_c.status();
    reading.supply_c = *supply_c;
  }
  readings_.push_back(reading);
  return absl::OkStatus();
}

absl::StatusOr<double> TelemetryReader::ReadNumber(
    std::string_view field) const {
  double number = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (stop != end || error != std::errc() || !std::isfinite(number)) {
    return lines_.Error(
        field, fmt::format("{} is not a number (expected a finite number)",
                           Quoted(field)));
  }
  return number;
}

absl::StatusOr<double> TelemetryReader::ReadTime(std::string_view field) const {
  for (const char* const format :
       {"%Y-%m-%d%ET%H:%M:%E*S", "%Y-%m-%d %H:%M:%E*S",
        "%Y-%m-%d%ET%H:%M:%E*S%Ez"}) {
    absl::Time time;
    if (absl::ParseTime(format, {field.data(), field.size()}, &time, nullptr) &&
        time != absl::InfiniteFuture() && time != absl::InfinitePast()) {
      return absl::ToDoubleSeconds(time - absl::UnixEpoch());
    }
  }
  absl::StatusOr<double> seconds = ReadNumber(field);
  if (seconds.ok()) return seconds;
  return lines_.Error(field,
                      fmt::format("{} is not a time (expected seconds or "
                                  "YYYY-MM-DD HH:MM:SS)",
                                  Quoted(field)));
}

absl::StatusOr<double> TelemetryReader::ReadSensor(std::string_view field,
                                                   double min,
                                                   double max) const {
  if (field.empty() || field == "nan" || field == "NaN") return kMissing;
  absl::StatusOr<double> value = ReadNumber(field);
  if (value.ok() && (*value < min || *value > max)) return kMissing;
  return value;
}

// The median time between readings of the node with the most readings; 0 if
// they are not at two times.
double IntervalOf(const std::vector<Reading>& readings, NodeCount nodes) {
  std::vector<std::size_t> count(nodes, 0);
  for (const Reading& reading : readings) ++count[reading.node];
  const auto busiest = static_cast<NodeId>(
      std::max_element(count.begin(), count.end()) - count.begin());
  std::vector<double> times_s;
  for (const Reading& reading : readings) {
    if (reading.node == busiest) times_s.push_back(reading.time_s);
  }
  std::sort(times_s.begin(), times_s.end());
  times_s.erase(std::unique(times_s.begin(), times_s.end()), times_s.end());
  if (times_s.size() < 2) return 0;
  std::vector<double> steps_s;
  for (std::size_t i = 1; i < times_s.size(); ++i) {
    steps_s.push_back(times_s[i] - times_s[i - 1]);
  }
  const auto middle =
      steps_s.begin() + static_cast<std::ptrdiff_t>(steps_s.size() / 2);
  std::nth_element(steps_s.begin(), middle, steps_s.end());
  return *middle;
}

// Means of values by index, missing ones ignored.
class Means {
 public:
  explicit Means(std::size_t size) : sums_(size, 0.0), counts_(size, 0) {}
  void Add(std::size_t index, double value) {
    if (std::isnan(value)) return;
    sums_[index] += value;
    ++counts_[index];
  }
  double At(std::size_t index) const {
    return counts_[index] == 0 ? kMissing : sums_[index] / counts_[index];
  }

 private:
  std::vector<double> sums_;
  std::vector<std::uint32_t> counts_;
};

// Replaces missing values: linear interpolation between known ones, the nearest
// one before the first and after the last, fallback if none is known.
void FillMissing(std::vector<double>& values, double fallback) {
  std::size_t last = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double before = last < i ? values[last] : values[i];
    const std::size_t first = last < i ? last + 1 : 0;
    for (std::size_t gap = first; gap < i; ++gap) {
      const double part = last < i ? static_cast<double>(gap - last) /
                                         static_cast<double>(i - last)
                                   : 0;
      values[gap] = before + part * (values[i] - before);
    }
    last = i;
  }
  const double after = last < values.size() ? values[last] : fallback;
  for (double& value : values) {
    if (std::isnan(value)) value = after;
  }
}

RoomHistory Arrange(const std::vector<Reading>& readings, const Room& room,
                    double interval_s, double start_s, std::size_t instants) {
  const auto instant_of = [&](const Reading& reading) {
    return static_cast<std::size_t>(
        std::round((reading.time_s - start_s) / interval_s));
  };
  const ZoneId zones = room.zone_count();
  Means inlet_c(instants * zones);
  Means supply_c(instants);
  // By node before summing by zone: two readings of a node at one instant are
  // averaged.
  Means power_w(instants * room.node_count());
  for (const Reading& reading : readings) {
    const std::size_t instant = instant_of(reading);
    inlet_c.Add(instant * zones + room.ZoneOf(reading.node), reading.inlet_c);
    power_w.Add(instant * room.node_count() + reading.node, reading.power_w);
    supply_c.Add(instant, reading.supply_c);
  }
  RoomHistory history;
  history.interval_s = interval_s;
  history.zones = zones;
  for (std::size_t instant = 0; instant < instants; ++instant) {
    for (ZoneId zone = 0; zone < zones; ++zone) {
      history.inlet_c.push_back(inlet_c.At(instant * zones + zone));
      double watts = 0;  // NaN as soon as one is missing
      for (const NodeId node : room.NodesOf(zone)) {
        watts += power_w.At(instant * room.node_count() + node);
      }
      history.power_w.push_back(watts);
    }
    history.supply_c.push_back(supply_c.At(instant));
  }
  FillMissing(history.supply_c, room.supply_c());
  return history;
}

}  // namespace

TelemetryColumns::TelemetryColumns() {
  std::copy(kDefaultNames.begin(), kDefaultNames.end(), names_.begin());
}

absl::StatusOr<TelemetryColumns> TelemetryColumns::Parse(
    std::string_view text) {
  TelemetryColumns columns;
  for (const std::string_view pair : CsvFields(text)) {
    const std::size_t equals = pair.find('=');
    const auto* const known = std::find(
        kDefaultNames.begin(), kDefaultNames.end(), pair.substr(0, equals));
    if (equals == std::string_view::npos || equals + 1 == pair.size() ||
        pair.find('=', equals + 1) != std::string_view::npos ||
        known == kDefaultNames.end()) {
      return absl::InvalidArgumentError(
          fmt::format("{} is not a column name (expected NAME=NAME_IN_FILE, "
                      "NAME one of {})",
                      Quoted(pair), fmt::join(kDefaultNames, ", ")));
    }
    columns.names_[static_cast<std::size_t>(known - kDefaultNames.begin())] =
        std::string(pair.substr(equals + 1));
  }
  return columns;
}

absl::StatusOr<RoomHistory> ReadTelemetry(std::span<const std::string> paths,
                                          const Machine& machine,
                                          const TelemetryColumns& columns) {
  std::vector<Reading> readings;
  for (const std::string& path : paths) {
    auto lines = DataLines::Open(path);
    if (!lines.ok()) return lines.status();
    absl::Status status =
        TelemetryReader(*std::move(lines), machine, columns, readings).Read();
    if (!status.ok()) return status;
  }
  const std::string& path = paths.front();
  const double interval_s = IntervalOf(readings, machine.node_count());
  if (interval_s <= 0) {
    return ErrorAt(path, {},
                   "no node has readings at two times (expected a history)");
  }
  const auto [first, last] = std::minmax_element(
      readings.begin(), readings.end(),
      [](const Reading& a, const Reading& b) { return a.time_s < b.time_s; });
  const double instants =
      std::round((last->time_s - first->time_s) / interval_s) + 1;
  if (instants * machine.node_count() > static_cast<double>(kMaxValues)) {
    return ErrorAt(
        path, {},
        fmt::format("times from {} s to {} s at intervals of {} s: "
                    "{:.0f} time steps of {} nodes (expected at most "
                    "{} values)",
                    first->time_s, last->time_s, interval_s, instants,
                    machine.node_count(), kMaxValues));
  }
  return Arrange(readings, *machine.room(), interval_s, first->time_s,
                 static_cast<std::size_t>(instants));
}

}  // namespace coolspan
