// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include "cli/commands/slurm_machine.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

struct MachineOptions {
  bool from_slurm = false;
  std::string out;  // empty: standard output
  bool force = false;
  std::string slurm_conf;     // empty: ask scontrol
  std::string topology_conf;  // empty: beside slurm.conf
};

absl::Status WriteNewFile(const std::string& path, const std::string& text,
                          bool force) {
  std::FILE* const file = std::fopen(path.c_str(), force ? "we" : "wxe");
  if (file == nullptr && errno == EEXIST) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: exists (expected a new file, or --force to overwrite it)", path));
  }
  const bool written =
      file != nullptr &&
      std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if ((file != nullptr && std::fclose(file) != 0) || !written) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {} (expected a file that can be written)", path,
                    std::generic_category().message(error)));
  }
  return absl::OkStatus();
}

void PrintMachine(const MachineOptions& options, const SlurmCluster& cluster,
                  const SlurmMachine& machine, const Console& console) {
  if (console.json) {
    Json json = {{"machine", cluster.name},
                 {"nodes", machine.nodes},
                 {"topology", machine.topology}};
    json["slurm_topology"] = machine.topology_conf.empty()
                                 ? Json(nullptr)
                                 : Json(machine.topology_conf);
    json["out"] = options.out.empty() ? Json(nullptr) : Json(options.out);
    json["text"] = machine.text;
    json["warnings"] = machine.warnings;
    PrintJsonLine(json, console.out);
  } else if (options.out.empty()) {
    console.out << machine.text;
  } else {
    console.out << fmt::format("{}: machine {}, {} nodes, {}\n", options.out,
                               cluster.name, machine.nodes, machine.topology);
  }
}

absl::StatusOr<Exit> WriteMachine(const MachineOptions& options,
                                  const Console& console) {
  const auto cluster = options.slurm_conf.empty()
                           ? ClusterOfScontrol()
                           : ClusterOfConf(options.slurm_conf);
  if (!cluster.ok()) return cluster.status();
  const auto machine = MachineOf(*cluster, options.topology_conf);
  if (!machine.ok()) return machine.status();
  if (!options.out.empty()) {
    absl::Status written =
        WriteNewFile(options.out, machine->text, options.force);
    if (!written.ok()) return written;
  }
  PrintWarnings(console.err, machine->warnings);
  PrintMachine(options, *cluster, *machine, console);
  return Exit::kSuccess;
}

}  // namespace

Action SetUpMachine(CLI::App& app) {
  auto options = std::make_shared<MachineOptions>();
  app.add_flag("--from-slurm", options->from_slurm,
               "write the machine file of the Slurm cluster")
      ->required();
  CLI::Option* const out =
      app.add_option("--out", options->out,
                     "write to this file (default: standard output)")
          ->type_name("FILE");
  app.add_flag("--force", options->force, "overwrite the file of --out")
      ->needs(out);
  app.add_option("--slurm-conf", options->slurm_conf,
                 "read the nodes from this slurm.conf (default: ask scontrol)")
      ->type_name("FILE");
  app.add_option("--topology-conf", options->topology_conf,
                 "read the network from this topology.conf or topology.yaml "
                 "(default: the one beside slurm.conf)")
      ->type_name("FILE");
  return [options](const Console& console) {
    return WriteMachine(*options, console);
  };
}

}  // namespace coolspan
