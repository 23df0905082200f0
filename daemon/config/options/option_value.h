// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_OPTION_VALUE_H_
#define COOLSPAN_CONFIG_OPTIONS_OPTION_VALUE_H_

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

#include "config/options/option.h"

namespace coolspan {

// "an integer from 1 to 10000": what an option's value has to be.
std::string DescribeWanted(const OptionSpec& option);

// "a list", "\"abc\"": what a file has instead.
std::string DescribeGiven(const YAML::Node& node);

struct ValueProblem {
  YAML::Mark mark;
  std::string message;
};

// The value of an option that is neither group nor records; nullopt and the
// problem where the node is not one. May throw YAML::Exception.
std::optional<OptionValue> ReadOptionValue(const YAML::Node& node,
                                           const OptionSpec& option,
                                           ValueProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_VALUE_H_
