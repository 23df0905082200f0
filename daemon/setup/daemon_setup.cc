// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/daemon_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
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

std::string StorageText(const DaemonFile& file) {
  if (!file.etcd.is_used()) return file.sqlite.value;
  return fmt::format("etcd {}, prefix {}",
                     fmt::join(file.etcd.endpoints.value, ", "),
                     file.etcd.prefix.value);
}

absl::Status CheckTelemetry(const DaemonSetup& setup, const std::string& path) {
  if (!setup.file.telemetry.has_value() || setup.machine->room() != nullptr) {
    return absl::OkStatus();
  }
  return ErrorAt(path, setup.file.telemetry->place,
                 fmt::format("telemetry: machine {} has no thermal section "
                             "(expected one in {})",
                             setup.machine->name(), setup.file.machine.value));
}

struct CertificateOption {
  const Placed<std::string>& file;
  const char* option;
};

// status: CheckCertificates', whose message begins with the file.
absl::Status ErrorOfFile(const std::string& path, const absl::Status& status,
                         std::initializer_list<CertificateOption> options) {
  const std::string message = MessageOf(status);
  const CertificateOption* about = options.begin();
  for (const CertificateOption& option : options) {
    if (message.starts_with(option.file.value + ":")) about = &option;
  }
  return ErrorAt(path, about->file.place,
                 fmt::format("{}: {}", about->option, message));
}

absl::Status CheckTls(const DaemonTls& tls, const std::string& path,
                      std::vector<std::string>& warnings) {
  const CertificateFiles files{tls.cert.value, tls.key.value,
                               tls.client_ca.value};
  const absl::Status status = CheckCertificates(files);
  if (!status.ok()) {
    return ErrorOfFile(path, status,
                       {{tls.cert, "tls.cert"},
                        {tls.key, "tls.key"},
                        {tls.client_ca, "tls.client_ca"}});
  }
  // Not of the same authorities, necessarily: only what is certain.
  const std::string refused = WhyNotValid(files, absl::Now());
  if (!refused.empty())
    warnings.push_back(fmt::format("tls: {}: clients refuse it", refused));
  return absl::OkStatus();
}

absl::Status CheckEtcdTls(const DaemonEtcd& etcd, const std::string& path) {
  if (etcd.ca.value.empty()) return absl::OkStatus();
  const CertificateFiles files{etcd.cert.value, etcd.key.value, etcd.ca.value};
  absl::Status status = files.cert.empty() ? CheckAuthorities(files.ca)
                                           : CheckCertificates(files);
  if (status.ok()) return status;
  return ErrorOfFile(path, status,
                     {{etcd.ca, "state.etcd_ca"},
                      {etcd.cert, "state.etcd_cert"},
                      {etcd.key, "state.etcd_key"}});
}

// The live page knows no roles.
void CheckLivePage(const DaemonFile& file, std::vector<std::string>& warnings) {
  if (!file.http.has_value() || !file.http->live) return;
  const auto readers = file.access.roles.find(Role::kReader);
  if (readers == file.access.roles.end()) return;
  const std::vector<std::string>& names = readers->second.value;
  if (std::find(names.begin(), names.end(), "*") != names.end()) return;
  warnings.push_back(
      fmt::format("http.live: the live page shows jobs to everyone who can "
                  "connect to {}, also to those who are not in access.reader",
                  file.http->listen.value));
}

// A daemon file names a machine file; a machine file has no such key.
bool IsDaemonFile(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return false;
  const auto keys = TopLevelKeys(*text, path);
  return keys.ok() &&
         std::find(keys->begin(), keys->end(), "machine") != keys->end();
}

absl::StatusOr<DaemonFile> ReadDaemonFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseDaemonFile(*text, path);
}

// Sets machine, machine_text and warnings.
absl::Status LoadMachine(DaemonSetup& setup) {
  const Placed<std::string>& named = setup.file.machine;
  RoomRemarks room;
  auto machine = LoadMachineFile(named.value, &setup.warnings, &room);
  if (absl::IsNotFound(machine.status())) {
    return ErrorAt(setup.path, named.place,
                   fmt::format("machine: {}", MessageOf(machine.status())));
  }
  if (!machine.ok() && IsDaemonFile(named.value)) {
    return ErrorAt(setup.path, named.place,
                   fmt::format("machine: {} is a daemon file (expected a "
                               "machine file)",
                               named.value));
  }
  if (!machine.ok()) return machine.status();
  auto text = ReadTextFile(named.value);
  if (!text.ok()) return text.status();
  std::ranges::move(room.warnings, std::back_inserter(setup.warnings));
  std::ranges::move(room.notes, std::back_inserter(setup.room_notes));
  setup.machine = *std::move(machine);
  setup.machine_text = *std::move(text);
  return absl::OkStatus();
}

absl::Status LoadLatencies(DaemonSetup& setup) {
  const Placed<std::string>& matrix = setup.file.latency_matrix;
  if (matrix.value.empty()) return absl::OkStatus();
  auto latencies = ReadLatencyFile(matrix.value, setup.machine->node_count());
  if (absl::IsNotFound(latencies.status())) {
    return ErrorAt(
        setup.path, matrix.place,
        fmt::format("latency_matrix: {}", MessageOf(latencies.status())));
  }
  if (!latencies.ok()) return latencies.status();
  setup.latencies = *std::move(latencies);
  return absl::OkStatus();
}

// Makes what the daemon file names. REQUIRES the machine.
absl::Status MakeOnMachine(DaemonSetup& setup) {
  DaemonFile& file = setup.file;
  auto ordering = MakeOrdering(*setup.machine, file.ordering.value);
  if (!ordering.ok()) {
    return ErrorAt(setup.path, file.ordering.place,
                   fmt::format("ordering: {}", MessageOf(ordering.status())));
  }
  setup.ordering = *std::move(ordering);
  absl::Status status = LoadLatencies(setup);
  if (!status.ok()) return status;
  if (file.policy.value.empty()) {
    // Weighing heat takes milliseconds in large rooms: only if asked for.
    file.policy.value =
        setup.machine->room() == nullptr ? "coolspan" : "coolspan:heat=0";
  }
  auto policy = MakePolicy(file.policy.value, setup.machine,
                           setup.OptionsWith(setup.ordering, file.span));
  if (!policy.ok()) {
    return ErrorAt(setup.path, file.policy.place,
                   fmt::format("policy: {}", MessageOf(policy.status())));
  }
  setup.policy = *std::move(policy);
  status = CheckEtcdTls(setup.file.etcd, setup.path);
  if (!status.ok()) return status;
  if (setup.file.tls.has_value()) {
    status = CheckTls(*setup.file.tls, setup.path, setup.warnings);
    if (!status.ok()) return status;
  }
  CheckLivePage(setup.file, setup.warnings);
  auto access = MakeAccessRules(setup.file, setup.path);
  if (!access.ok()) return access.status();
  setup.access = *std::move(access);
  status = MakeRules(setup, setup.path);
  return status.ok() ? CheckTelemetry(setup, setup.path) : status;
}

absl::Status NeedsRestart(const std::string& path,
                          const OptionDifference& change) {
  const absl::Status status = ErrorAt(
      path, change.place,
      fmt::format("{}: {} (expected {} as at the start of the daemon: a new "
                  "value takes effect after a restart)",
                  change.name, change.after, change.before));
  return absl::FailedPreconditionError(status.message());
}

// The fingerprints also show changes of the files that the machine file names,
// but not of all its options.
absl::Status CheckSameMachine(const DaemonSetup& running,
                              const DaemonSetup& setup) {
  const auto fingerprints = [](const Machine& machine) {
    const Room* const room = machine.room().get();
    return std::pair(machine.Fingerprint(),
                     room == nullptr ? 0 : room->Fingerprint());
  };
  if (setup.machine_text == running.machine_text &&
      fingerprints(*setup.machine) == fingerprints(*running.machine)) {
    return absl::OkStatus();
  }
  const absl::Status status =
      ErrorAt(setup.path, setup.file.machine.place,
              fmt::format("machine: {}, or a file named there, has changed "
                          "(expected the machine as at the start of the "
                          "daemon: a new one takes effect after a restart)",
                          setup.file.machine.value));
  return absl::FailedPreconditionError(status.message());
}

}  // namespace

absl::StatusOr<DaemonSetup> MakeDaemonSetup(DaemonFile file,
                                            const std::string& path) {
  DaemonSetup setup;
  setup.file = std::move(file);
  setup.path = path;
  absl::Status status = LoadMachine(setup);
  if (status.ok()) status = MakeOnMachine(setup);
  if (!status.ok()) return status;
  return setup;
}

absl::StatusOr<ReloadedSetup> ReloadDaemonFile(const DaemonSetup& running) {
  auto file = ReadDaemonFile(running.path);
  if (!file.ok()) return file.status();
  ReloadedSetup reloaded;
  reloaded.changes = DifferencesBetween(running.file.texts, file->texts);
  for (const OptionDifference& change : reloaded.changes) {
    if (!change.reloadable) return NeedsRestart(running.path, change);
  }
  DaemonSetup& setup = reloaded.setup;
  setup.file = *std::move(file);
  setup.path = running.path;
  absl::Status status = LoadMachine(setup);
  if (status.ok()) status = CheckSameMachine(running, setup);
  if (!status.ok()) return status;
  setup.machine = running.machine;
  status = MakeOnMachine(setup);
  if (!status.ok()) return status;
  return reloaded;
}

std::string Summary(const DaemonSetup& setup) {
  return fmt::format(
      "machine {}, {}; policy {}, ordering {}{}; listens on {}; allocations "
      "in {}",
      setup.machine->name(), Counted(setup.machine->node_count(), "node"),
      setup.file.policy.value, setup.ordering->name(),
      setup.rules.empty() ? "" : fmt::format(", rules: {}", setup.rules.size()),
      fmt::join(setup.file.listen.value, ", "), StorageText(setup.file));
}

absl::StatusOr<DaemonSetup> LoadDaemonFile(const std::string& path) {
  auto file = ReadDaemonFile(path);
  if (!file.ok()) return file.status();
  return MakeDaemonSetup(*std::move(file), path);
}

}  // namespace coolspan
