// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_FIND_ENTRY_H_
#define COOLSPAN_REPLAY_FIND_ENTRY_H_

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/nearest_name.h"

namespace coolspan {

// The entry of a name. Error: INVALID_ARGUMENT for an unknown name, with the
// option and the nearest known name, or all names if none is near.
template <typename Entry>
absl::StatusOr<const Entry*> FindEntry(std::span<const Entry> table,
                                       std::string_view option,
                                       std::string_view name) {
  std::vector<std::string_view> known;
  for (const Entry& entry : table) {
    if (entry.name == name) return &entry;
    known.push_back(entry.name);
  }
  const std::string_view nearest = NearestName(name, known);
  return absl::InvalidArgumentError(fmt::format(
      "{}: unknown name '{}'{}", option, name,
      nearest.empty()
          ? fmt::format(" (expected one of {})", fmt::join(known, ", "))
          : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_FIND_ENTRY_H_
