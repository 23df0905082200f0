// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_OPTION_H_
#define COOLSPAN_CONFIG_OPTIONS_OPTION_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/file_error.h"

namespace coolspan {

enum class OptionType {
  kText,
  kInteger,
  kNumber,
  kTextList,  // of every list: one scalar stands for a list of one
  kIntegerList,
  kNumberList,
  kFlagList,
  kGroup,    // a map; its options are named "group.option"
  kRecords,  // a list of maps; their options are named "records[].option"
};

enum class Presence {
  kOptional,
  kRequired,  // inside a group or record: where that is given
  kLater,     // known by name, and refused: this version does not support it
};

// One line of a table of options. The table drives parsing, checking and the
// option part of the man page. Every parent of a name is in the table before
// it.
struct OptionSpec {
  std::string_view name;
  OptionType type = OptionType::kText;
  std::string_view description;  // sentences for the man page
  Presence presence = Presence::kOptional;
  // As written in YAML; empty: none. A group with "{}" gives its options'
  // defaults where it is left out; others then give nothing.
  std::string_view default_text = {};
  // Of numbers, list entries too, both ends included.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  // The texts allowed; null: any.
  std::vector<std::string_view> (*choices)() = nullptr;
};

// The alternative that belongs to the option's type; nothing for groups and
// records.
using OptionValue =
    std::variant<std::monostate, std::string, std::int64_t, double,
                 std::vector<std::string>, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<bool>>;

// A checked value of a file, or a default.
struct OptionReading {
  std::size_t option = 0;  // place in the table
  OptionValue value;
  Place place;

  template <typename T>
  const T& As() const {
    return std::get<T>(value);
  }
  template <typename T>
  Placed<T> PlacedAs() const {
    return {std::get<T>(value), place};
  }
};

// A table's line with the place in Target that its value goes to.
template <typename Target>
struct Option {
  OptionSpec spec;
  void (*store)(Target& target, const OptionReading& reading);
};

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_H_
