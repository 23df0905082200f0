// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/daemon_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "config/machine/machine_file.h"
#include "config/options/option_reader.h"
#include "core/counted.h"
#include "formats/file_error.h"
#include "formats/latency_file.h"
#include "formats/text_file.h"
#include "setup/daemon_rules.h"
#include "tls/certificates.h"

namespace coolspan {
namespace {

absl::Status CheckTelemetry(const DaemonSetup& setup, const std::string& path) {
  if (!setup.file.telemetry.has_value() || setup.machine->room() != nullptr) {
    return absl::OkStatus();
  }
  return ErrorAt(path, setup.file.telemetry->place,
                 fmt::format("telemetry: machine {} has no thermal section "
                             "(expected one in {})",
                             setup.machine->name(), setup.file.machine.value));
}

absl::Status CheckTls(const DaemonTls& tls, const std::string& path,
                      std::vector<std::string>& warnings) {
  const CertificateFiles files{tls.cert.value, tls.key.value,
                               tls.client_ca.value};
  const absl::Status status = CheckCertificates(files);
  if (!status.ok()) {
    return ErrorAt(path, tls.place, fmt::format("tls: {}", MessageOf(status)));
  }
  // Not of the same authorities, necessarily: only what is certain.
  const std::string refused = WhyNotValid(files, absl::Now());
  if (!refused.empty())
    warnings.push_back(fmt::format("tls: {}: clients refuse it", refused));
  return absl::OkStatus();
}

// A daemon file names a machine file; a machine file has no such key.
bool IsDaemonFile(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return false;
  const auto keys = TopLevelKeys(*text, path);
  return keys.ok() &&
         std::find(keys->begin(), keys->end(), "machine") != keys->end();
}

}  // namespace

absl::StatusOr<DaemonSetup> MakeDaemonSetup(DaemonFile file,
                                            const std::string& path) {
  std::vector<std::string> warnings;
  auto machine = LoadMachineFile(file.machine.value, &warnings);
  if (absl::IsNotFound(machine.status())) {
    return ErrorAt(path, file.machine.place,
                   fmt::format("machine: {}", MessageOf(machine.status())));
  }
  if (!machine.ok() && IsDaemonFile(file.machine.value)) {
    return ErrorAt(path, file.machine.place,
                   fmt::format("machine: {} is a daemon file (expected a "
                               "machine file)",
                               file.machine.value));
  }
  if (!machine.ok()) return machine.status();
  auto ordering = MakeOrdering(**machine, file.ordering.value);
  if (!ordering.ok()) {
    return ErrorAt(path, file.ordering.place,
                   fmt::format("ordering: {}", MessageOf(ordering.status())));
  }
  DaemonSetup setup{std::move(file), *std::move(machine), *std::move(ordering),
                    nullptr,         std::move(warnings), {}};
  if (const auto& matrix = setup.file.latency_matrix; !matrix.value.empty()) {
    auto latencies = ReadLatencyFile(matrix.value, setup.machine->node_count());
    if (absl::IsNotFound(latencies.status())) {
      return ErrorAt(
          path, matrix.place,
          fmt::format("latency_matrix: {}", MessageOf(latencies.status())));
    }
    if (!latencies.ok()) return latencies.status();
    setup.latencies = *std::move(latencies);
  }
  if (std::string& policy = setup.file.policy.value; policy.empty()) {
    // Weighing heat takes milliseconds in large rooms: only if asked for.
    policy = setup.machine->room() == nullptr ? "coolspan" : "coolspan:heat=0";
  }
  auto policy = MakePolicy(setup.file.policy.value, setup.machine,
                           setup.OptionsWith(setup.ordering, setup.file.span));
  if (!policy.ok()) {
    return ErrorAt(path, setup.file.policy.place,
                   fmt::format("policy: {}", MessageOf(policy.status())));
  }
  setup.policy = *std::move(policy);
  if (setup.file.tls.has_value()) {
    absl::Status readable = CheckTls(*setup.file.tls, path, setup.warnings);
    if (!readable.ok()) return readable;
  }
  auto access = MakeAccessRules(setup.file, path);
  if (!access.ok()) return access.status();
  setup.access = *std::move(access);
  absl::Status status = MakeRules(setup, path);
  if (status.ok()) status = CheckTelemetry(setup, path);
  if (!status.ok()) return status;
  return setup;
}

std::string Summary(const DaemonSetup& setup) {
  return fmt::format(
      "machine {}, {}; policy {}, ordering {}{}; listens on {}",
      setup.machine->name(), Counted(setup.machine->node_count(), "node"),
      setup.file.policy.value, setup.ordering->name(),
      setup.rules.empty() ? "" : fmt::format(", rules: {}", setup.rules.size()),
      fmt::join(setup.file.listen.value, ", "));
}

absl::StatusOr<DaemonSetup> LoadDaemonFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  auto file = ParseDaemonFile(*text, path);
  if (!file.ok()) return file.status();
  return MakeDaemonSetup(*std::move(file), path);
}

}  // namespace coolspan
