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

// What the columns of telemetry are called in a file.
class TelemetryColumns {
 public:
  enum Column : std::size_t { kTime, kNode, kInlet, kPower, kSupply, kCount };
  static constexpr std::array<std::string_view, kCount> kOwnNames = {
      "time_s", "node", "inlet_c", "power_w", "supply_c"};

  // Their own names.
  TelemetryColumns();
  // "time_s=Time,node=Host": those that a file calls otherwise.
  // Errors: INVALID_ARGUMENT for what is no such pair.
  static absl::StatusOr<TelemetryColumns> Parse(std::string_view text);

  const std::string& NameOf(Column column) const { return names_[column]; }

 private:
  std::array<std::string, kCount> names_;
};

// Reads what the sensors of a machine's room said, from one file or several,
// plain text or gzip: values separated by commas, the first line their names:
// time_s, node, inlet_c, power_w and, where it is not always the room's,
// supply_c, in any order; other columns are not read. Times are seconds or
// "2018-10-09 11:20:00", UTC where they say nothing else. A line for each node
// and time, in any order; # starts a comment. Empty, "nan" and temperatures and
// powers that cannot be (below -50 C, above 150 C, below 0 W) are missing; so
// is a line. Readings go to the nearest of instants so far apart as one node's
// readings mostly are. Zones of several nodes: the mean of the inlets that are
// there, the sum of the powers if all are.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for a column
// that is not there, a node that the machine does not have, what is no number;
// for less than two times of a node, times too far apart to be of one history.
// REQUIRES a machine with a room, and a path.
absl::StatusOr<RoomHistory> ReadTelemetry(std::span<const std::string> paths,
                                          const Machine& machine,
                                          const TelemetryColumns& columns = {});

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_TELEMETRY_FILE_H_
