// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/runtime_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace coolspan {
namespace {

struct CommCostName {
  std::string_view name;
  CommCost comm_cost;
};
constexpr CommCostName kCommCosts[] = {
    {"ordered", CommCost::kOrdered},
    {"unordered", CommCost::kUnordered},
    {"mean-hop", CommCost::kMeanHop},
};

constexpr std::string_view kMinimal = "minimal";
constexpr std::string_view kValiant = "valiant";

absl::StatusOr<CommCost> ParseCommCost(std::string_view text) {
  for (const CommCostName& entry : kCommCosts) {
    if (entry.name == text) return entry.comm_cost;
  }
  return absl::InvalidArgumentError(
      fmt::format("--comm-cost: '{}' is not valid (expected ordered, unordered "
                  "or mean-hop)",
                  text));
}

std::string ModelsHelp() {
  std::vector<std::string> lines;
  for (const RuntimeModelEntry& entry : RuntimeModelTable()) {
    lines.push_back(fmt::format("{}: {}", entry.name, entry.help));
  }
  return fmt::format("run time model. {}", fmt::join(lines, "; "));
}

void AddNetworkFlags(CLI::App& app, RuntimeFlags& flags) {
  NetworkOptions& network = flags.options.network;
  const auto add_number = [&](const char* name, double& value, const char* help,
                              const char* type) {
    flags.of_network.push_back(app.add_option(name, value, help)
                                   ->type_name(type)
                                   ->capture_default_str());
  };
  add_number("--link-gb-per-s", network.link_gb_per_s,
             "contention: capacity of a link in each direction, in 10^9 bytes "
             "a second",
             "RATE");
  add_number("--send-gb-per-s", network.send_gb_per_s,
             "contention: what the node of a job that sends most sends while "
             "the job communicates, in 10^9 bytes a second",
             "RATE");
  add_number("--oversubscription", network.routes.oversubscription,
             "contention on fat trees: nodes below a switch over the links "
             "above it",
             "X");
  flags.of_network.push_back(
      app.add_option("--routes", flags.routes,
                     "contention on dragonflies: minimal or valiant (default: "
                     "minimal)")
          ->type_name("KIND"));
}

// Takes the options of contention. Error: INVALID_ARGUMENT naming the option.
absl::Status ReadNetworkFlags(const RuntimeFlags& flags,
                              RuntimeOptions& options) {
  for (const CLI::Option* option : flags.of_network) {
    if (option->count() == 0 || options.model == "contention") continue;
    return absl::InvalidArgumentError(
        fmt::format("{}: only allowed with --runtime-model contention",
                    option->get_name()));
  }
  options.network.routes.valiant = flags.routes == kValiant;
  if (flags.routes.empty() || flags.routes == NameOf(options.network.routes)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--routes: '{}' is not valid (expected minimal or valiant)",
                  flags.routes));
}

}  // namespace

std::string_view NameOf(CommCost comm_cost) {
  for (const CommCostName& entry : kCommCosts) {
    if (entry.comm_cost == comm_cost) return entry.name;
  }
  return {};
}

std::string_view NameOf(const RouteOptions& routes) {
  return routes.valiant ? kValiant : kMinimal;
}

void AddRuntimeFlags(CLI::App& app, RuntimeFlags& flags) {
  app.add_option("--runtime-model", flags.options.model, ModelsHelp())
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--comm-cost", flags.comm_cost,
                 "sst: communication cost. mean-hop: mean hop distance; "
                 "ordered: sum of hop distances over ordered pairs / nodes; "
                 "unordered: sum over unordered pairs / nodes (default: "
                 "mean-hop)")
      ->type_name("KIND");
  flags.noise = app.add_option("--runtime-noise", flags.options.noise,
                               "sst: random delay between -RHO and RHO times "
                               "the communication cost, drawn with --seed")
                    ->type_name("RHO")
                    ->capture_default_str();
  flags.share =
      app.add_option("--comm-share", flags.options.communication_share,
                     "share of run time that jobs communicate (default: "
                     "communication_share of the machine file, else 0.3)")
          ->type_name("SHARE");
  AddNetworkFlags(app, flags);
}

absl::StatusOr<RuntimeOptions> ReadRuntimeFlags(const RuntimeFlags& flags,
                                                const Machine& machine) {
  RuntimeOptions options = flags.options;
  if (options.model != "sst" &&
      (!flags.comm_cost.empty() || flags.noise->count() > 0)) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: only allowed with --runtime-model sst",
        flags.comm_cost.empty() ? "--runtime-noise" : "--comm-cost"));
  }
  if (absl::Status read = ReadNetworkFlags(flags, options); !read.ok()) {
    return read;
  }
  if (!flags.comm_cost.empty()) {
    const absl::StatusOr<CommCost> comm_cost = ParseCommCost(flags.comm_cost);
    if (!comm_cost.ok()) return comm_cost.status();
    options.comm_cost = *comm_cost;
  }
  if (flags.share->count() == 0 && machine.room() != nullptr) {
    options.communication_share =
        static_cast<float>(machine.room()->communication_share());
  }
  const float share = options.communication_share;
  if (!(share >= 0 && share <= 1)) {
    return absl::InvalidArgumentError(fmt::format(
        "--comm-share: {} is out of range (expected 0 to 1)", share));
  }
  return options;
}

}  // namespace coolspan
