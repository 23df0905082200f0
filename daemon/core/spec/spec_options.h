// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SPEC_SPEC_OPTIONS_H_
#define COOLSPAN_CORE_SPEC_SPEC_OPTIONS_H_

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace coolspan {

// A spec names an entry of a table and sets options of it:
// NAME[:OPTION=VALUE...], for example "mm" or "bqp:alpha=1:beta=0".

// An option of an entry: a number, or one of some words.
struct SpecOption {
  std::string_view name;
  std::string_view help;
  double default_value;  // of words: the index of one
  double min = 0;
  double max = 0;
  bool min_excluded = false;
  std::span<const std::string_view> words = {};  // empty: a number
  bool is_whole = false;                         // of a number: no fraction

  // Error: INVALID_ARGUMENT for a value out of range, or with a fraction where
  // the number is a whole one.
  absl::Status Check(double value) const;
};

// Values of options by name: numbers, or indexes of words.
using SpecValues = std::map<std::string, double, std::less<>>;

// The part of a spec before its options.
std::string_view SpecName(std::string_view spec);

// The value of each option: from the spec, else from `given`, else its default.
// what: the kind of table, "policy". Error: INVALID_ARGUMENT for an option that
// is not in the list, one specified more than once, and a value that is not
// valid.
absl::StatusOr<SpecValues> ReadSpecValues(std::string_view what,
                                          std::string_view spec,
                                          std::span<const SpecOption> options,
                                          const SpecValues& given);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SPEC_SPEC_OPTIONS_H_
