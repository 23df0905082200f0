// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/shared_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/flags/number_checks.h"
#include "ordering/ordering.h"

namespace coolspan {

CLI::Option* AddMachineOption(CLI::App& app, std::string& path) {
  return app.add_option("--machine", path, "machine file (YAML)")
      ->type_name("FILE")
      ->required();
}

CLI::Option* AddOrderingOption(CLI::App& app, std::string& spec) {
  std::string names;
  for (const OrderingEntry& entry : OrderingTable()) {
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", entry.name,
                         entry.argument);
  }
  return app
      .add_option("--ordering", spec,
                  fmt::format("node ordering: {} (default: hilbert on meshes, "
                              "spectral elsewhere)",
                              names))
      ->type_name("NAME");
}

CLI::Option* AddPolicyOption(CLI::App& app, std::string& name) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : PolicyTable()) names.push_back(entry.name);
  return app
      .add_option("--policy", name,
                  fmt::format("placement policy: {}", fmt::join(names, ", ")))
      ->type_name("NAME")
      ->required();
}

CLI::Option* AddSeedOption(CLI::App& app, std::uint64_t& seed,
                           const std::string& help) {
  return app.add_option("--seed", seed, help)
      ->check(WholeNumber(0))
      ->capture_default_str();
}

CLI::Option* AddSpanOption(CLI::App& app, std::string& span) {
  return app
      .add_option(
          "--span", span,
          "span to minimize if no free interval is long enough: ring or "
          "linear (default: ring)")
      ->type_name("KIND");
}

CLI::Option* AddEndpointOption(CLI::App& app, std::string& endpoints) {
  return app
      .add_option(
          "--endpoint", endpoints,
          "address of the daemon: unix:///PATH or ipv4:HOST:PORT; several "
          "separated by commas")
      ->type_name("ENDPOINT")
      ->required();
}

absl::StatusOr<SpanKind> ParseSpan(std::string_view span) {
  if (span.empty() || span == "ring") return SpanKind::kRing;
  if (span == "linear") return SpanKind::kLinear;
  return absl::InvalidArgumentError(
      fmt::format("--span: '{}' is not valid (expected ring or linear)", span));
}

}  // namespace coolspan
