// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_PARSE_FAILURE_H_
#define COOLSPAN_CLI_PARSE_FAILURE_H_

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace coolspan {

// The message for a command line that the app did not parse: "COMMAND: what is
// wrong (expected ...) (see COMMAND --help)". CLI11 words its own messages
// differently.
std::string ParseFailure(const CLI::App& app, const CLI::ParseError& error);

// The first argument in the place of a subcommand that is not one; empty: none.
std::string UnknownSubcommand(const CLI::App& app);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_PARSE_FAILURE_H_
