// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/policy_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/flags/shared_options.h"
#include "formats/latency_file.h"

namespace coolspan {

void AddPolicyFlags(CLI::App& app, PolicyFlags& flags) {
  AddSpanOption(app, flags.span);
  for (const PolicyEntry& entry : PolicyTable()) {
    for (const PolicyNumber& number : entry.numbers) {
      double& value = flags.numbers[std::string(number.name)];
      value = number.default_value;
      app.add_option(fmt::format("--{}", number.name), value,
                     fmt::format("{}: {}", entry.name, number.help))
          ->type_name("NUMBER")
          ->capture_default_str();
    }
  }
  app.add_option("--latency-matrix", flags.latency_matrix,
                 "bqp: matrix of measured latencies between all nodes, used "
                 "instead of hop distances; dense text or MatrixMarket")
      ->type_name("FILE");
}

absl::StatusOr<PolicyOptions> ReadPolicyFlags(const PolicyFlags& flags,
                                              const Machine& machine) {
  PolicyOptions options;
  options.numbers = flags.numbers;
  for (const PolicyEntry& entry : PolicyTable()) {
    for (const PolicyNumber& number : entry.numbers) {
      const absl::Status status =
          CheckPolicyNumber(number, options.Number(number.name));
      if (status.ok()) continue;
      return absl::InvalidArgumentError(
          fmt::format("--{}: {}", number.name, std::string(status.message())));
    }
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

absl::Status CheckFlagsForDaemon(const PolicyFlags& flags) {
  if (!flags.latency_matrix.empty()) {
    return absl::InvalidArgumentError(
        "--latency-matrix: not allowed with --endpoint (expected "
        "latency_matrix in the daemon file)");
  }
  for (const PolicyEntry& entry : PolicyTable()) {
    for (const PolicyNumber& number : entry.numbers) {
      const double value = flags.numbers.at(std::string(number.name));
      if (value == number.default_value) continue;
      return absl::InvalidArgumentError(
          fmt::format("--{}: not allowed with --endpoint (expected in the "
                      "policy name, {}:{}={})",
                      number.name, entry.name, number.name, value));
    }
  }
  return absl::OkStatus();
}

}  // namespace coolspan
