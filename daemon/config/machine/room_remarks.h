// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_ROOM_REMARKS_H_
#define COOLSPAN_CONFIG_MACHINE_ROOM_REMARKS_H_

#include <string>
#include <vector>

namespace coolspan {

// What is said of a room that is accepted, "file:line: what".
struct RoomRemarks {
  std::vector<std::string> warnings;  // doubtful
  std::vector<std::string> notes;     // how the matrix was read
};

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_ROOM_REMARKS_H_
