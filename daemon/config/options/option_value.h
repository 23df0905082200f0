// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_OPTION_VALUE_H_
#define COOLSPAN_CONFIG_OPTIONS_OPTION_VALUE_H_

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

#include "config/options/option.h"

namespace coolspan {

// The expected value of an option: "an integer from 1 to 10000".
std::string DescribeExpected(const OptionSpec& option);

// A node of the wrong type or value; what: "value", "entry", "key".
// "value is a list", "invalid value \"abc\"".
std::string DescribeFound(const YAML::Node& node, std::string_view what);

struct ValueProblem {
  YAML::Mark mark;
  std::string message;
};

// The value of an option that is neither a group nor records; nullopt, with
// problem set, if the node does not hold a valid one. May throw
// YAML::Exception.
std::optional<OptionValue> ReadOptionValue(const YAML::Node& node,
                                           const OptionSpec& option,
                                           ValueProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_VALUE_H_
