// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/policy_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/flags/shared_options.h"
#include "formats/latency_file.h"

namespace coolspan {
namespace {

constexpr const char* kLatencyMatrix = "latency-matrix";

bool Takes(const PolicyEntry& entry, std::string_view option) {
  return option == kLatencyMatrix
             ? entry.uses_latencies
             : std::any_of(entry.options.begin(), entry.options.end(),
                           [option](const SpecOption& one) {
                             return one.name == option;
                           });
}

// The options of policies that are numbers; the other ones are set in specs.
struct NumberOption {
  const PolicyEntry& policy;
  const SpecOption& option;
};
std::vector<NumberOption> NumberOptions() {
  std::vector<NumberOption> numbers;
  for (const PolicyEntry& entry : PolicyTable()) {
    for (const SpecOption& option : entry.options) {
      if (option.words.empty()) numbers.push_back({entry, option});
    }
  }
  return numbers;
}

}  // namespace

void AddPolicyFlags(CLI::App& app, PolicyFlags& flags) {
  AddSpanOption(app, flags.span);
  for (const auto& [policy, option] : NumberOptions()) {
    double& value = flags.numbers[std::string(option.name)];
    value = option.default_value;
    flags.of_policies[std::string(option.name)] =
        app.add_option(fmt::format("--{}", option.name), value,
                       fmt::format("{}: {}", policy.name, option.help))
            ->type_name("NUMBER")
            ->capture_default_str();
  }
  flags.of_policies[kLatencyMatrix] =
      app.add_option(
             fmt::format("--{}", kLatencyMatrix), flags.latency_matrix,
             "bqp: matrix of measured latencies between all nodes, used "
             "instead of hop distances; dense text or MatrixMarket")
          ->type_name("FILE");
}

absl::StatusOr<PolicyOptions> ReadPolicyFlags(const PolicyFlags& flags,
                                              const Machine& machine) {
  PolicyOptions options;
  options.values = flags.numbers;
  for (const auto& [policy, option] : NumberOptions()) {
    const absl::Status status = option.Check(options.Value(option.name));
    if (status.ok()) continue;
    return absl::InvalidArgumentError(
        fmt::format("--{}: {}", option.name, std::string(status.message())));
  }
  const auto span = ParseSpan(flags.span);
  if (!span.ok()) return span.status();
  options.span = *span;
  if (flags.latency_matrix.empty()) return options;
  auto latencies = ReadLatencyFile(flags.latency_matrix, machine.node_count());
  if (!latencies.ok()) return latencies.status();
  options.latencies = *std::move(latencies);
  return options;
}

absl::Status CheckFlagsOfPolicies(const PolicyFlags& flags,
                                  const std::vector<std::string>& policies) {
  for (const auto& [name, option] : flags.of_policies) {
    const bool is_used =
        std::any_of(policies.begin(), policies.end(),
                    [&flag = name](const std::string& spec) {
                      const PolicyEntry* const entry = FindPolicy(spec);
                      return entry == nullptr || Takes(*entry, flag);
                    });
    if (option->count() == 0 || is_used) continue;
    std::vector<std::string_view> takers;
    for (const PolicyEntry& entry : PolicyTable()) {
      if (Takes(entry, name)) takers.push_back(entry.name);
    }
    return absl::InvalidArgumentError(
        fmt::format("--{}: not an option of {} (expected policy {})", name,
                    fmt::join(policies, ", "), fmt::join(takers, " or ")));
  }
  return absl::OkStatus();
}

absl::Status CheckFlagsForDaemon(const PolicyFlags& flags) {
  if (!flags.latency_matrix.empty()) {
    return absl::InvalidArgumentError(
        "--latency-matrix: not allowed with --endpoint (expected "
        "latency_matrix in the daemon file)");
  }
  for (const auto& [policy, option] : NumberOptions()) {
    const double value = flags.numbers.at(std::string(option.name));
    if (value == option.default_value) continue;
    return absl::InvalidArgumentError(
        fmt::format("--{}: not allowed with --endpoint (expected in the "
                    "policy name, {}:{}={})",
                    option.name, policy.name, option.name, value));
  }
  return absl::OkStatus();
}

}  // namespace coolspan
