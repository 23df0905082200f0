// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_PLACEMENT_MODE_H_
#define COOLSPAN_CONFIG_PLACEMENT_MODE_H_

#include <iterator>
#include <optional>
#include <string_view>

namespace coolspan {

// What the resource manager does with a decision. In this order, a lower mode
// changes less.
enum class PlacementMode {
  kOff,      // no decision is made
  kAdvise,   // decisions are recorded
  kEnforce,  // the job gets the nodes of the decision
};

inline constexpr std::string_view kPlacementModes[] = {"off", "advise",
                                                       "enforce"};

inline std::string_view NameOf(PlacementMode mode) {
  return kPlacementModes[static_cast<int>(mode)];
}

// nullopt: not one of kPlacementModes.
inline std::optional<PlacementMode> ParsePlacementMode(std::string_view name) {
  for (int i = 0; i < static_cast<int>(std::size(kPlacementModes)); ++i) {
    if (name == kPlacementModes[i]) return static_cast<PlacementMode>(i);
  }
  return std::nullopt;
}

// Empty: not set.
inline std::string_view TextOf(std::optional<PlacementMode> mode) {
  return mode.has_value() ? NameOf(*mode) : std::string_view();
}

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_PLACEMENT_MODE_H_
