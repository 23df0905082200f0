// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_TELEMETRY_FILE_H_
#define COOLSPAN_FORMATS_TELEMETRY_FILE_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "thermal/calibration.h"

namespace coolspan {

// The names of the columns of a telemetry file.
class TelemetryColumns {
 public:
  enum Column : std::size_t { kTime, kNode, kInlet, kPower, kSupply, kCount };
  static constexpr std::array<std::string_view, kCount> kDefaultNames = {
      "time_s", "node", "inlet_c", "power_w", "supply_c"};

  // The default names.
  TelemetryColumns();
  // Other names, as in "time_s=Time,node=Host"; the rest keeps the defaults.
  // Errors: INVALID_ARGUMENT for anything but such pairs.
  static absl::StatusOr<TelemetryColumns> Parse(std::string_view text);

  const std::string& NameOf(Column column) const { return names_[column]; }

 private:
  std::array<std::string, kCount> names_;
};

// Reads the history of a room from one or more CSV files, plain text or gzip.
// The first line names the columns: time_s, node, inlet_c, power_w and, unless
// it is the room's at all times, supply_c, in any order; other columns are
// ignored. One line per node and time, in any order; # starts a comment. Times
// are in seconds, or as in "2018-10-09 11:20:00", in UTC without an offset. A
// value is missing if it is empty, "nan" or impossible (below -50 C, above
// 150 C, below 0 W), or if its line is missing.
// The instants of the history are one interval apart, the median time between
// readings of a node; a reading belongs to the nearest instant. In a zone of
// several nodes, the inlet is the mean of the known ones; the power is the sum,
// and missing if that of any node is.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a missing
// column, an unknown node and a value that is not a number; "file: ..." unless
// some node has readings at two times and the instants fit the size limit.
// REQUIRES a machine with a room, and at least one path.
absl::StatusOr<RoomHistory> ReadTelemetry(std::span<const std::string> paths,
                                          const Machine& machine,
                                          const TelemetryColumns& columns = {});

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_TELEMETRY_FILE_H_
