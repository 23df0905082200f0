// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_UNITS_TEXT_H_
#define COOLSPAN_STATE_UNITS_TEXT_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace coolspan {

// Run-length encoding: "16x1000,8x2,4" is 1000 nodes with 16 units, two with 8
// and one with 4.
std::string FormatUnits(std::span<const Units> units);
// nullopt: syntax error, or more than 2^24 nodes.
std::optional<std::vector<Units>> ParseUnits(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_UNITS_TEXT_H_
