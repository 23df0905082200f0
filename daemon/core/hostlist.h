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
// zero-padding kept, text before, between and after brackets:
// "n[01-03,7],r[1-2]c[0-1]-ib". Order as in Slurm: with several brackets the
// last one varies fastest, then the first, the second and so on.
// More permissive than Slurm 22.05: text after the last bracket, more than
// 65,536 names in one range. Stricter: a comma without a name on both sides,
// unbalanced brackets and blanks or signs inside brackets are errors.
// Errors: INVALID_ARGUMENT "column N: what is wrong (expected ...)", N from 1:
// besides these, an empty or descending range, a number of more than 18 digits,
// a character that is not printable ASCII, more than max_names names, a name
// longer than kMaxHostNameBytes, a total length over kMaxHostlistBytes. All are
// detected before any name is made, in time linear in the expression.
absl::StatusOr<std::vector<std::string>> ExpandHostlist(
    std::string_view expression, std::size_t max_names = kMaxHostlistNames);

// As ExpandHostlist, but calls visit for each name instead of storing them.
// Stops at the first error that visit returns, and returns it.
absl::Status VisitHostlist(
    std::string_view expression, std::size_t max_names,
    absl::FunctionRef<absl::Status(std::string_view name)> visit);

// The form that Slurm prints: consecutive names that differ only in the number
// at their end are folded, separately for each zero-padding. Order and repeated
// names are kept: ExpandHostlist returns the same names. REQUIRES names that
// ExpandHostlist can return.
std::string CompressHostlist(std::span<const std::string_view> names);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HOSTLIST_H_
