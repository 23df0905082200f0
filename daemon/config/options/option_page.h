// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_OPTIONS_OPTION_PAGE_H_
#define COOLSPAN_CONFIG_OPTIONS_OPTION_PAGE_H_

#include <span>
#include <string>
#include <vector>

#include "config/options/option.h"

namespace coolspan {

// The option part of a manual page (man(7)), generated from the table that
// drives the parser: type, bounds, default and description of each option.
// Reserved options are omitted.
std::string OptionPage(std::span<const OptionSpec> options);

template <typename Target>
std::string OptionPage(std::span<const Option<Target>> table) {
  std::vector<OptionSpec> specs;
  for (const Option<Target>& option : table) specs.push_back(option.spec);
  return OptionPage(std::span<const OptionSpec>(specs));
}

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_OPTIONS_OPTION_PAGE_H_
