// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_RUNTIME_FLAGS_H_
#define COOLSPAN_CLI_FLAGS_RUNTIME_FLAGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/machine.h"
#include "replay/runtime_models/runtime_model.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace coolspan {

// The options of run time models. Must outlive the parsing.
struct RuntimeFlags {
  RuntimeOptions options;
  std::string comm_cost;  // empty: mean-hop
  const CLI::Option* noise = nullptr;
  const CLI::Option* share = nullptr;
  std::string routes;                          // empty: minimal
  std::vector<const CLI::Option*> of_network;  // of contention
};

void AddRuntimeFlags(CLI::App& app, RuntimeFlags& flags);

// As given to --comm-cost.
std::string_view NameOf(CommCost comm_cost);

// As given to --routes.
std::string_view NameOf(const RouteOptions& routes);

// Without --comm-share, the share is that of the machine's room. Error:
// INVALID_ARGUMENT naming the option.
absl::StatusOr<RuntimeOptions> ReadRuntimeFlags(const RuntimeFlags& flags,
                                                const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_RUNTIME_FLAGS_H_
