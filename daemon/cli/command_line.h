// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMAND_LINE_H_
#define COOLSPAN_CLI_COMMAND_LINE_H_

#include <memory>
#include <vector>

#include "cli/console.h"
#include "cli/subcommand.h"

namespace coolspan {

// The command line of coolspan: the table of subcommands, set up. For one
// invocation.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // argv[0] is the program. A command line that does not parse is one message
  // on console.err and kBadInput.
  Exit Run(int argc, const char* const* argv, Console console);
  // For what describes the program, as its man page does.
  const CLI::App& app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
  std::vector<Action> actions_;  // as SubcommandTable()
  bool json_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMAND_LINE_H_
