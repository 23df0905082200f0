// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_SUBCOMMAND_H_
#define COOLSPAN_CLI_SUBCOMMAND_H_

#include <functional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/console.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// Runs a subcommand after the command line has been parsed. A status ends the
// program with its message on err: exit 3 for UNAVAILABLE and
// DEADLINE_EXCEEDED, 2 for any other. For exit 1 the action prints the reason
// on err itself. Prints JSON if console.json is set.
using Action = std::function<absl::StatusOr<Exit>(const Console& console)>;

// One line of the table of subcommands (table.cc). A new subcommand is a file,
// a declaration here and a line there. All get --json and --help.
struct SubcommandEntry {
  std::string_view name;
  std::string_view help;
  // Adds options to app; the action owns the variables they write to. Called
  // for all subcommands in each invocation, so it must be cheap.
  Action (*set_up)(CLI::App& app);
};
std::span<const SubcommandEntry> SubcommandTable();

Action SetUpAllocate(CLI::App& app);
Action SetUpCalibrate(CLI::App& app);
Action SetUpCheckConfig(CLI::App& app);
Action SetUpDrain(CLI::App& app);
Action SetUpCluster(CLI::App& app);
Action SetUpExplain(CLI::App& app);
Action SetUpGenerate(CLI::App& app);
Action SetUpJobs(CLI::App& app);
Action SetUpLoad(CLI::App& app);
Action SetUpMachine(CLI::App& app);
Action SetUpMap(CLI::App& app);
Action SetUpMapView(CLI::App& app);
Action SetUpMode(CLI::App& app);
Action SetUpOrder(CLI::App& app);
Action SetUpReload(CLI::App& app);
Action SetUpReplay(CLI::App& app);
Action SetUpState(CLI::App& app);
Action SetUpStatus(CLI::App& app);
Action SetUpThermal(CLI::App& app);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_SUBCOMMAND_H_
