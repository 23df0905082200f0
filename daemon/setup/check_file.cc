// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/check_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "config/daemon_file.h"
#include "config/machine/machine_file.h"
#include "config/machine/machine_options.h"
#include "config/options/option_reader.h"
#include "formats/file_error.h"
#include "formats/text_file.h"
#include "setup/daemon_setup.h"
#include "setup/policy_trial.h"

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
  auto machine = ParseMachineFile(text, path, &warnings);
  if (!machine.ok()) return machine.status();
  const Topology& topology = (*machine)->topology();
  const Grid* grid = topology.grid();
  const Room* room = (*machine)->room().get();
  return CheckedFile{
      "machine",
      fmt::format(
          "machine {}, {} nodes, {}{}{}", (*machine)->name(),
          (*machine)->node_count(), topology.kind(),
          grid == nullptr ? "" : fmt::format(" {}", fmt::join(grid->dims, "x")),
          room == nullptr
              ? ""
              : fmt::format(", a room of {} zone{}", room->zone_count(),
                            room->zone_count() == 1 ? "" : "s")),
      std::move(warnings),
      {}};
}

absl::StatusOr<CheckedFile> CheckDaemon(const std::string& text,
                                        const std::string& path) {
  auto file = ParseDaemonFile(text, path);
  if (!file.ok()) return file.status();
  auto setup = MakeDaemonSetup(*std::move(file), path);
  if (!setup.ok()) return setup.status();
  TryPolicies(*setup, &std::chrono::steady_clock::now);
  std::vector<std::string> rules = RuleSummaries(*setup);
  return CheckedFile{"daemon", Summary(*setup), std::move(setup->warnings),
                     std::move(rules)};
}

}  // namespace

absl::StatusOr<CheckedFile> CheckConfigFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  auto keys = TopLevelKeys(*text, path);
  if (!keys.ok()) return keys.status();
  const std::size_t of_machine = CountKnown(*keys, MachineOptionTable());
  const std::size_t of_daemon = CountKnown(*keys, DaemonOptionTable());
  if (of_machine == 0 && of_daemon == 0) {
    return ErrorAt(path, {1, 1},
                   "neither a machine file nor a daemon file (expected name, "
                   "topology and nodes, or listen and machine)");
  }
  return of_machine > of_daemon ? CheckMachine(*text, path)
                                : CheckDaemon(*text, path);
}

}  // namespace coolspan
