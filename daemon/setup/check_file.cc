// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/check_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "config/daemon_file.h"
#include "config/machine/machine_file.h"
#include "config/machine/machine_options.h"
#include "config/options/option_reader.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"
#include "formats/text_file.h"
#include "setup/daemon_setup.h"
#include "setup/policy_trial.h"
#include "tls/certificates.h"

namespace coolspan {
namespace {

template <typename Target>
std::size_t CountKnown(const std::vector<std::string>& keys,
                       std::span<const Option<Target>> table) {
  return static_cast<std::size_t>(
      std::count_if(keys.begin(), keys.end(), [&](const std::string& key) {
        return std::any_of(table.begin(), table.end(), [&](const auto& option) {
          return option.spec.name == key;
        });
      }));
}

absl::StatusOr<CheckedFile> CheckMachine(const std::string& text,
                                         const std::string& path) {
  std::vector<std::string> warnings;
  RoomRemarks remarks;
  auto machine = ParseMachineFile(text, path, &warnings, &remarks);
  if (!machine.ok()) return machine.status();
  std::ranges::move(remarks.warnings, std::back_inserter(warnings));
  const Topology& topology = (*machine)->topology();
  const Grid* grid = topology.grid();
  const Room* room = (*machine)->room().get();
  std::string summary = fmt::format(
      "machine {}, {} nodes, {}{}{}", (*machine)->name(),
      (*machine)->node_count(), topology.kind(),
      grid == nullptr ? "" : fmt::format(" {}", fmt::join(grid->dims, "x")),
      room == nullptr ? ""
                      : fmt::format(", a room of {} zone{}", room->zone_count(),
                                    room->zone_count() == 1 ? "" : "s"));
  return CheckedFile{.path = path,
                     .kind = "machine",
                     .summary = std::move(summary),
                     .warnings = std::move(warnings),
                     .room_notes = std::move(remarks.notes),
                     .machine = *std::move(machine),
                     .machine_path = path};
}

absl::StatusOr<CheckedFile> CheckDaemon(const std::string& text,
                                        const std::string& path) {
  auto file = ParseDaemonFile(text, path);
  if (!file.ok()) return file.status();
  auto setup = MakeDaemonSetup(*std::move(file), path);
  if (!setup.ok()) return setup.status();
  TryPolicies(*setup, &std::chrono::steady_clock::now);
  std::vector<std::pair<int, std::string>> rule_partitions;
  for (const DaemonFile::Rule& rule : setup->file.rules) {
    for (const std::string& partition : rule.jobs.partitions) {
      rule_partitions.emplace_back(rule.place.line, partition);
    }
  }
  return CheckedFile{.path = path,
                     .kind = "daemon",
                     .summary = Summary(*setup),
                     .warnings = std::move(setup->warnings),
                     .room_notes = std::move(setup->room_notes),
                     .rules = RuleSummaries(*setup),
                     .listen = setup->file.listen.value,
                     .has_tls = setup->file.tls.has_value(),
                     .rule_partitions = std::move(rule_partitions),
                     .machine = setup->machine,
                     .machine_path = setup->file.machine.value};
}

// The certificates of coolspan.conf, as slurmctld will read them. Adds a
// warning if this user cannot.
absl::Status CheckPluginTls(const std::string& path, const plugin_conf_t& conf,
                            std::vector<std::string>& warnings) {
  struct Key {
    const char* name;
    const char* file;
  };
  if (conf.tls_cert == nullptr) return absl::OkStatus();
  absl::Status status =
      CheckCertificates({conf.tls_cert, conf.tls_key, conf.tls_ca});
  if (status.ok()) return status;
  const std::string message = MessageOf(status);
  for (const Key& key :
       {Key{"TlsCert", conf.tls_cert}, Key{"TlsKey", conf.tls_key},
        Key{"TlsCa", conf.tls_ca}}) {
    if (!message.starts_with(std::string(key.file) + ":")) continue;
    const std::string text =
        fmt::format("{}:{}: {}: {}", path, plugin_conf_line(&conf, key.name),
                    key.name, message);
    if (access(key.file, R_OK) != 0 && errno == EACCES) {
      warnings.push_back(text + "; not checked");
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(text);
  }
  return status;
}

absl::StatusOr<CheckedFile> CheckPlugin(const std::string& path) {
  const std::shared_ptr<plugin_conf_t> conf(new plugin_conf_t(),
                                            [](plugin_conf_t* read) {
                                              plugin_conf_free(read);
                                              delete read;
                                            });
  char problem[PLUGIN_CONF_PROBLEM_SIZE];
  if (!plugin_conf_read(path.c_str(), conf.get(), problem, sizeof(problem))) {
    return absl::InvalidArgumentError(problem);
  }
  std::vector<std::string> warnings;
  if (absl::Status status = CheckPluginTls(path, *conf, warnings);
      !status.ok()) {
    return status;
  }
  return CheckedFile{
      .path = path,
      .kind = "plugin",
      .summary = fmt::format("mode {}, endpoints {}, deadline {} ms, "
                             "underlying {}",
                             mode_name(conf->mode), conf->endpoints,
                             conf->deadline_ms, conf->underlying),
      .warnings = std::move(warnings),
      .plugin_conf = conf};
}

// Whether the first line that is not blank or a comment has a = before any
// other character with a meaning in YAML.
bool StartsWithKeyValue(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos || line[start] == '#') continue;
    const std::size_t end = line.find_first_of("=:{[\"'", start);
    return end != std::string_view::npos && line[end] == '=';
  }
  return false;
}

}  // namespace

absl::StatusOr<CheckedFile> CheckConfigFile(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  if (name == "coolspan.conf") return CheckPlugin(path);
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  if (name == "slurm.conf") {
    return absl::InvalidArgumentError(
        fmt::format("{} is a Slurm file (use --slurm {})", path, path));
  }
  if (StartsWithKeyValue(*text)) return CheckPlugin(path);
  auto keys = TopLevelKeys(*text, path);
  if (!keys.ok()) return keys.status();
  const std::size_t of_machine = CountKnown(*keys, MachineOptionTable());
  const std::size_t of_daemon = CountKnown(*keys, DaemonOptionTable());
  if (of_machine == 0 && of_daemon == 0) {
    return ErrorAt(path, {1, 1},
                   "neither a machine file, a daemon file nor coolspan.conf "
                   "(expected name, topology and nodes; listen and machine; "
                   "or Key=Value lines)");
  }
  return of_machine > of_daemon ? CheckMachine(*text, path)
                                : CheckDaemon(*text, path);
}

}  // namespace coolspan
