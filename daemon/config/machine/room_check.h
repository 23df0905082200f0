// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_ROOM_CHECK_H_
#define COOLSPAN_CONFIG_MACHINE_ROOM_CHECK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "config/machine/room_remarks.h"
#include "core/heat_matrix.h"
#include "core/machine.h"
#include "core/room.h"
#include "formats/file_error.h"
#include "thermal/recirculation.h"

namespace coolspan {

// The matrix of a room as it was read.
struct RoomMatrix {
  std::string file;    // the machine file
  std::string option;  // "thermal.heat_distribution"
  Placed<std::string> path;
  std::shared_ptr<const HeatMatrix> heat = nullptr;  // D
  Recirculation recirculation = {};
  std::vector<double> airflow_w_per_k = {};  // by zone; empty: unknown
  std::vector<double> shares = {};  // A, row by row; empty: the file has D
};

// Checks the room at full load for what is physical and yet most likely wrong:
// units, D and A swapped, rows and columns swapped (docs/rooms.md). machine:
// with the names of the nodes.
// Errors: INVALID_ARGUMENT "file:line:column: ..." if an inlet would be above
// 100 C.
absl::Status CheckRoom(const Room& room, const Machine& machine,
                       const RoomMatrix& matrix, RoomRemarks& remarks);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_ROOM_CHECK_H_
