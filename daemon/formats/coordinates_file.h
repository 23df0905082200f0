// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_COORDINATES_FILE_H_
#define COOLSPAN_FORMATS_COORDINATES_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"

namespace coolspan {

// Where a file says the nodes are.
struct CoordinatesFile {
  struct Node {
    std::string name;
    absl::InlinedVector<std::uint32_t, 3> at;
    int line = 0;
  };
  std::vector<Node> nodes;  // those of one place in the order they have there
  // The largest coordinates, of service nodes too, plus one: 1 to 6 entries.
  std::vector<std::uint32_t> extents;
  bool is_cray_table = false;
};

// Reads one of two forms, plain or gzip, told apart by the first line; # starts
// a comment.
// "NAME X Y Z": as many coordinates, 1 to 6, in each line.
// Cray's processor table (xtdb2proc): fields KEY=VALUE cut at commas, of which
// processor_id, processor_type, x_coord, y_coord and z_coord are read. Compute
// nodes are called nid and the id in five digits or more, and the nodes of one
// place have the order of their ids; service nodes are no nodes of the machine.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is no
// such line, no node at all.
absl::StatusOr<CoordinatesFile> ReadCoordinatesFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_COORDINATES_FILE_H_
