// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_GENERATE_PATTERN_H_
#define COOLSPAN_CLI_COMMANDS_GENERATE_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/console.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// The options of `coolspan generate --pattern`. Must outlive the parsing.
struct PatternFlags {
  std::string kind;  // empty: not given
  std::optional<std::uint32_t> ranks;
  double bytes = 1;
};
void AddPatternFlags(CLI::App& app, PatternFlags& flags);

// Prints a communication pattern as an edge list or as JSON. Error:
// INVALID_ARGUMENT naming the option.
absl::StatusOr<Exit> GeneratePattern(const PatternFlags& flags,
                                     const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_GENERATE_PATTERN_H_
