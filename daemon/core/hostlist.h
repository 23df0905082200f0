// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HOSTLIST_H_
#define COOLSPAN_CORE_HOSTLIST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

inline constexpr std::size_t kMaxHostlistNames = std::size_t{1} << 24;

// Expands Slurm's hostlist syntax: names separated by commas, each with any
// number of bracketed lists of numbers and ranges, zero-padding kept, text
// before, between and behind brackets: "n[01-03,7],r[1-2]c[0-1]-ib". Several
// brackets expand with the last fastest.
// Errors: INVALID_ARGUMENT with the column (1-based) and what would be right:
// unbalanced brackets, an empty name or range, a range that runs backwards,
// more than max_names names (found before any is made).
absl::StatusOr<std::vector<std::string>> ExpandHostlist(
    std::string_view expression, std::size_t max_names = kMaxHostlistNames);

// The shortest form Slurm itself prints: consecutive names that differ in
// their last number only are folded, equal padding kept apart from other
// padding. Order and repeats are kept; ExpandHostlist gives the names back.
std::string CompressHostlist(std::span<const std::string_view> names);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HOSTLIST_H_
