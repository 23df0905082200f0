// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HOSTLIST_H_
#define COOLSPAN_CORE_HOSTLIST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace coolspan {

inline constexpr std::size_t kMaxHostlistNames = std::size_t{1} << 24;
inline constexpr std::size_t kMaxHostNameBytes = 255;
inline constexpr std::size_t kMaxHostlistBytes = std::size_t{1} << 30;

// Expands Slurm's hostlist syntax: names separated by a comma, white space or
// both, each with any number of bracketed lists of numbers and ranges,
// zero-padding kept, text before, between and behind brackets:
// "n[01-03,7],r[1-2]c[0-1]-ib". Order as in Slurm: of several brackets the last
// changes fastest, then the first, the second and so on.
// Wider than Slurm 22.05: text behind the last bracket, more than 65,536 names
// in one range. Stricter: a comma without a name beside it, unbalanced brackets
// and blanks or signs inside brackets are errors.
// Errors: INVALID_ARGUMENT with the column (1-based) and what would be right:
// besides these, an empty range, a range that runs backwards, a number of more
// than 18 digits, a control character, more than max_names names, a name longer
// than kMaxHostNameBytes, names longer than kMaxHostlistBytes altogether. All
// are found before any name is made, in time linear in the expression.
absl::StatusOr<std::vector<std::string>> ExpandHostlist(
    std::string_view expression, std::size_t max_names = kMaxHostlistNames);

// The same, one name after the other without keeping them; ends with the first
// error that visit returns.
absl::Status VisitHostlist(
    std::string_view expression, std::size_t max_names,
    absl::FunctionRef<absl::Status(std::string_view name)> visit);

// The form Slurm itself prints: consecutive names that differ in the number at
// their end only are folded, equal padding kept apart from other padding.
// Order and repeats are kept; ExpandHostlist gives the names back. REQUIRES
// names that ExpandHostlist can give.
std::string CompressHostlist(std::span<const std::string_view> names);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HOSTLIST_H_
