// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_OPTION_TEXTS_H_
#define COOLSPAN_CONFIG_OPTIONS_OPTION_TEXTS_H_

#include <span>
#include <string>
#include <vector>

#include "config/options/option.h"

namespace coolspan {

// The value of an option, from a file or by default.
struct OptionText {
  std::string name;  // "log.level"; in a list of records "rules[2].policy"
  std::string text;  // "info", "[a, b]"
  Place place;
  bool reloadable = false;
};

// One per reading of ReadOptions, without groups and records.
std::vector<OptionText> OptionTexts(std::span<const OptionReading> readings,
                                    std::span<const OptionSpec> options);

// An option with another value in a later version of a file.
struct OptionDifference {
  std::string name;
  // "default" without a value.
  std::string before;
  std::string after;
  Place place;  // in the later version; {} without a value there
  bool reloadable = false;
};

// In the order of the later version, options without a value there last.
std::vector<OptionDifference> DifferencesBetween(
    std::span<const OptionText> before, std::span<const OptionText> after);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_TEXTS_H_
