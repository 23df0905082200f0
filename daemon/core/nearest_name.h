// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_NEAREST_NAME_H_
#define COOLSPAN_CORE_NEAREST_NAME_H_

#include <span>
#include <string_view>

namespace coolspan {

// The known name nearest to a mistyped one in Damerau-Levenshtein distance
// (insertions, deletions, substitutions, swaps of adjacent characters); the
// first one on ties. Empty if the distance exceeds a third of the longer name.
std::string_view NearestName(std::string_view typed,
                             std::span<const std::string_view> known);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_NEAREST_NAME_H_
