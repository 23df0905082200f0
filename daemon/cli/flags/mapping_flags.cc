// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/mapping_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "mapping/generated_patterns.h"

namespace coolspan {

std::string GeneratedPatternNames() {
  std::vector<std::string_view> names;
  for (const GeneratedPattern& kind : GeneratedPatternTable()) {
    names.push_back(kind.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

CLI::Option* AddPatternOption(CLI::App& app, std::string& pattern,
                              const std::string& help) {
  return app
      .add_option(
          "--pattern", pattern,
          fmt::format("{}; a file, or {}", help, GeneratedPatternNames()))
      ->type_name("FILE");
}

}  // namespace coolspan
