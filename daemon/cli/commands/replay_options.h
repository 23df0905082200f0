// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_OPTIONS_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/replay_files.h"
#include "cli/flags/policy_flags.h"
#include "cli/flags/runtime_flags.h"
#include "cli/flags/workload_flags.h"
#include "client/endpoints.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// The options of coolspan replay. Must outlive the parsing.
struct ReplayOptions {
  std::string trace;
  std::string machine;
  std::vector<std::string> schedulers = {"easy"};
  std::string estimates = "trace";
  std::vector<std::string> policies;
  std::vector<std::string> situations;
  std::vector<std::string> decision_policies;
  std::vector<std::string> sweeps;
  std::vector<std::string> pareto;
  std::vector<std::string> orderings;
  PolicyFlags policy_flags;
  std::string decisions;
  std::string checkpoint;
  ReplayFiles::Paths files;
  DaemonAddress daemon;
  WorkloadFlags workload;
  std::string seeds = "0";
  std::string node_events;
  std::string pattern;
  double warm_up_s = 0;
  std::optional<double> map_at_s;
  std::string deadline_by = "run";
  std::string node_types_by = "none";
  double energy_time_s = 0;
  RuntimeFlags runtime;
  std::string idle;
  std::optional<std::string> segment_nodes;
};

void AddReplayOptions(CLI::App& app, ReplayOptions& options);

// What the results of a run depend on besides its RunSpec: the options with
// their values, and hashes of the files.
std::string IdentityOfReplay(const CLI::App& app, const ReplaySetup& setup,
                             const Workload& workload);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_OPTIONS_H_
