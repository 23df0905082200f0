// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMAND_LINE_H_
#define COOLSPAN_CLI_COMMAND_LINE_H_

#include <memory>
#include <vector>

#include "cli/console.h"
#include "cli/subcommand.h"

namespace coolspan {

// The command line of coolspan with all subcommands of the table. An object
// serves one invocation.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // argv[0] is the program. If the command line does not parse, prints one
  // line on console.err and returns kBadInput.
  Exit Run(int argc, const char* const* argv, Console console);
  // For the tests of the man pages.
  const CLI::App& app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
  std::vector<Action> actions_;  // in the order of SubcommandTable()
  bool json_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMAND_LINE_H_
