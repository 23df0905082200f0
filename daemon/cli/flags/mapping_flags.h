// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_MAPPING_FLAGS_H_
#define COOLSPAN_CLI_FLAGS_MAPPING_FLAGS_H_

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace coolspan {

// --pattern: a file or the name of a generated pattern (PatternChoice::Read).
CLI::Option* AddPatternOption(CLI::App& app, std::string& pattern,
                              const std::string& help);

// The names of the generated patterns: "all-to-all, fft, ...".
std::string GeneratedPatternNames();

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_MAPPING_FLAGS_H_
