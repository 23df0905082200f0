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
  kTextList,  // every kind of list accepts one scalar as a list of one entry
  kIntegerList,
  kNumberList,
  kFlagList,
  kGroup,    // a map; option names "group.option"
  kRecords,  // a list of maps; option names "records[].option"
};

enum class Presence {
  kOptional,
  kRequired,  // inside a group or record: required if that is present
};

// One row of an option table. The table drives parsing, validation and the
// option part of the man page. A group or list of records precedes its options.
struct OptionSpec {
  std::string_view name;
  OptionType type = OptionType::kText;
  std::string_view description;  // sentences for the man page
  Presence presence = Presence::kOptional;
  // As written in YAML; empty: no default. An omitted group is read as "{}",
  // with the defaults of its options, if that is its default_text; any other
  // omitted group gives no readings.
  std::string_view default_text = {};
  // Inclusive bounds of numbers and of the entries of number lists.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  // The allowed values of a kText; null: any.
  std::vector<std::string_view> (*choices)() = nullptr;
  // A running program takes a new value when it reads the file again; otherwise
  // a new value needs a restart.
  bool reloadable = false;
};

// The alternative that matches the option's type; monostate for groups and
// records.
using OptionValue =
    std::variant<std::monostate, std::string, std::int64_t, double,
                 std::vector<std::string>, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<bool>>;

// A validated value from the file, or a default.
struct OptionReading {
  std::size_t option = 0;  // index into the table
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

// A row of the table and the function that stores its value in a Target.
template <typename Target>
struct Option {
  OptionSpec spec;
  void (*store)(Target& target, const OptionReading& reading);
};

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_H_
