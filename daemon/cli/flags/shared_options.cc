// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/shared_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/flags/number_checks.h"
#include "ordering/ordering.h"

namespace coolspan {

namespace {

std::string OrderingNames() {
  std::string names;
  for (const OrderingEntry& entry : OrderingTable()) {
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", entry.name,
                         entry.argument);
  }
  return names + " (default: hilbert on meshes, spectral elsewhere)";
}

}  // namespace

CLI::Option* AddMachineOption(CLI::App& app, std::string& path) {
  return app.add_option("--machine", path, "machine file (YAML)")
      ->type_name("FILE")
      ->required();
}

CLI::Option* AddOrderingOption(CLI::App& app, std::string& spec) {
  return app
      .add_option("--ordering", spec, "node ordering: " + OrderingNames())
      ->type_name("NAME");
}

CLI::Option* AddOrderingsOption(CLI::App& app,
                                std::vector<std::string>& specs) {
  return app
      .add_option("--ordering", specs, "node orderings: " + OrderingNames())
      ->type_name("NAME,...")
      ->delimiter(',');
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

CLI::Option* AddSeedsOption(CLI::App& app, std::string& seeds,
                            const std::string& help) {
  return app.add_option("--seed", seeds, help)
      ->type_name("LIST")
      ->capture_default_str();
}

CLI::Option* AddSpanOption(CLI::App& app, std::string& span) {
  return app
      .add_option(
          "--span", span,
          "span to minimize if no free interval is long enough: ring or "
          "linear (default: ring if the ends of the ordering are "
          "neighbours)")
      ->type_name("KIND");
}

CLI::Option* AddEndpointOption(CLI::App& app, DaemonAddress& address) {
  struct TlsOption {
    const char* name;
    const char* variable;
    std::string& path;
    const char* help;
  };
  for (const TlsOption& option :
       {TlsOption{"--tls-cert", "COOLSPAN_TLS_CERT", address.tls.cert,
                  "certificate for endpoints on TCP"},
        TlsOption{"--tls-key", "COOLSPAN_TLS_KEY", address.tls.key,
                  "its private key"},
        TlsOption{"--tls-ca", "COOLSPAN_TLS_CA", address.tls.ca,
                  "certificates of the authorities of the daemon"}}) {
    app.add_option(option.name, option.path,
                   fmt::format("{} (PEM; default: {} if set)", option.help,
                               option.variable))
        ->type_name("FILE")
        ->envname(option.variable);
  }
  return app
      .add_option(
          "--endpoint", address.endpoints,
          "address of the daemon: unix:///PATH or ipv4:HOST:PORT; several "
          "separated by commas")
      ->type_name("ENDPOINT")
      ->required();
}

absl::StatusOr<std::vector<std::uint64_t>> ParseSeeds(std::string_view list) {
  constexpr std::size_t kMaxSeeds = 10'000;
  std::vector<std::uint64_t> seeds;
  std::string_view rest = list;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    const std::size_t dash = part.find('-');
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    const bool read =
        ReadWhole(part.substr(0, dash), first) &&
        ReadWhole(dash == std::string_view::npos ? part : part.substr(dash + 1),
                  last);
    if (!read || last < first || last - first >= kMaxSeeds - seeds.size()) {
      return absl::InvalidArgumentError(fmt::format(
          "--seed: '{}' is not valid (expected whole numbers and ranges as in "
          "1,5-8; at most {} in total)",
          list, kMaxSeeds));
    }
    for (std::uint64_t i = 0; i <= last - first; ++i)
      seeds.push_back(first + i);
  }
  std::vector<std::uint64_t> sorted = seeds;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return absl::InvalidArgumentError(
        fmt::format("--seed: {} is in '{}' more than once", *twice, list));
  }
  return seeds;
}

absl::StatusOr<SpanKind> ParseSpan(std::string_view span) {
  if (span.empty()) return SpanKind::kOfOrdering;
  if (span == "ring") return SpanKind::kRing;
  if (span == "linear") return SpanKind::kLinear;
  return absl::InvalidArgumentError(
      fmt::format("--span: '{}' is not valid (expected ring or linear)", span));
}

}  // namespace coolspan
