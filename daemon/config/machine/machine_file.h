// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_MACHINE_FILE_H_
#define COOLSPAN_CONFIG_MACHINE_MACHINE_FILE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/machine/room_remarks.h"
#include "core/machine.h"

namespace coolspan {

// Reads a machine file (YAML; docs/man/coolspan-machine.5).
// Appends to warnings one line "file:line: what" for everything but the room
// that is accepted although it is doubtful or contradictory; what is said of
// the room to room, for those that judge or use it.
// Errors: NOT_FOUND or INVALID_ARGUMENT, "file:line:column: what is wrong
// (expected ...)".
absl::StatusOr<std::shared_ptr<const Machine>> LoadMachineFile(
    const std::string& path, std::vector<std::string>* warnings = nullptr,
    RoomRemarks* room = nullptr);
// The same from text; path names it in errors and is what relative paths are
// resolved against.
absl::StatusOr<std::shared_ptr<const Machine>> ParseMachineFile(
    std::string_view text, const std::string& path,
    std::vector<std::string>* warnings = nullptr, RoomRemarks* room = nullptr);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_MACHINE_FILE_H_
