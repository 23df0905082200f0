// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_COORDINATES_FILE_H_
#define COOLSPAN_FORMATS_COORDINATES_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"

namespace coolspan {

// The nodes of a coordinates file.
struct CoordinatesFile {
  struct Node {
    std::string name;
    absl::InlinedVector<std::uint32_t, 3> at;
    int line = 0;
  };
  // In file order; of a Cray table by processor id. Nodes of one vertex are
  // numbered in this order.
  std::vector<Node> nodes;
  // The maximum coordinates, including service nodes, plus one: 1 to 6 entries.
  std::vector<std::uint32_t> extents;
  bool is_cray_table = false;
};

// Reads one of two formats, plain or gzip, detected by the first line; # starts
// a comment.
// - "NAME X Y Z": 1 to 6 coordinates, the same number in each line.
// - Cray's processor table (xtdb2proc): fields KEY=VALUE separated by commas,
// of
//   which processor_id, processor_type, x_coord, y_coord and z_coord are read.
//   A compute node is named "nid" and its id in at least five digits. Service
//   nodes are not part of the machine.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a line of
// another form, a node specified more than once, and a file without nodes.
absl::StatusOr<CoordinatesFile> ReadCoordinatesFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_COORDINATES_FILE_H_
