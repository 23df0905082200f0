// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_SHARED_OPTIONS_H_
#define COOLSPAN_CLI_FLAGS_SHARED_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/endpoints.h"
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
CLI::Option* AddOrderingsOption(CLI::App& app, std::vector<std::string>& specs);
// Required.
CLI::Option* AddPolicyOption(CLI::App& app, std::string& name);
CLI::Option* AddSeedOption(CLI::App& app, std::uint64_t& seed,
                           const std::string& help);
// A list such as "1,5-8".
CLI::Option* AddSeedsOption(CLI::App& app, std::string& seeds,
                            const std::string& help);
CLI::Option* AddSpanOption(CLI::App& app, std::string& span);
// --endpoint, required, which is returned, and the --tls options.
CLI::Option* AddEndpointOption(CLI::App& app, DaemonAddress& address);

// Error: INVALID_ARGUMENT for a list that is not valid and more than 10,000
// seeds.
absl::StatusOr<std::vector<std::uint64_t>> ParseSeeds(std::string_view list);

// span: "ring", "linear", or empty for that of the ordering. Error:
// INVALID_ARGUMENT.
absl::StatusOr<SpanKind> ParseSpan(std::string_view span);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_SHARED_OPTIONS_H_
