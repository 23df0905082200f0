// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_SHARED_OPTIONS_H_
#define COOLSPAN_CLI_FLAGS_SHARED_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace coolspan {

// Options of several subcommands. The string an option writes to must outlive
// the parsing.
CLI::Option* AddMachineOption(CLI::App& app, std::string& path);
CLI::Option* AddOrderingOption(CLI::App& app, std::string& spec);
// Required.
CLI::Option* AddPolicyOption(CLI::App& app, std::string& name);
CLI::Option* AddSeedOption(CLI::App& app, std::uint64_t& seed,
                           const std::string& help);
CLI::Option* AddSpanOption(CLI::App& app, std::string& span);
// Required.
CLI::Option* AddEndpointOption(CLI::App& app, std::string& endpoints);

// span: "ring", "linear", or empty for ring. Error: INVALID_ARGUMENT.
absl::StatusOr<SpanKind> ParseSpan(std::string_view span);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_SHARED_OPTIONS_H_
