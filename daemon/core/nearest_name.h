// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_NEAREST_NAME_H_
#define COOLSPAN_CORE_NEAREST_NAME_H_

#include <span>
#include <string_view>

namespace coolspan {

// The known name that a mistyped one most likely stands for: fewest inserted,
// left out, changed or swapped characters (Damerau-Levenshtein, adjacent
// swaps), the first of equal ones. Empty when none is nearer than a third of
// the longer name.
std::string_view NearestName(std::string_view typed,
                             std::span<const std::string_view> known);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_NEAREST_NAME_H_
