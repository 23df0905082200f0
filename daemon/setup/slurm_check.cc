// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/slurm_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "config/machine/topology_yaml.h"
#include "core/counted.h"
#include "core/hostlist.h"
#include "formats/file_error.h"
#include "formats/slurm_conf.h"
#include "setup/slurm_plugin_folder.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

std::string Lower(const std::string& text) {
  return absl::AsciiStrToLower(text);
}

// "2 nodes (n[3-4])", a long list truncated.
std::string Nodes(std::size_t count, const std::string& hostlist) {
  return fmt::format("{} ({})", Counted(count, "node"), Printable(hostlist));
}

class SlurmChecker {
 public:
  SlurmChecker(const SlurmConf& conf, std::span<const CheckedFile> files,
               SlurmCheck& check)
      : conf_(conf), files_(files), check_(check) {}

  void Check() {
    const auto plugin = std::find_if(
        files_.begin(), files_.end(),
        [](const CheckedFile& file) { return file.plugin_conf != nullptr; });
    if (plugin != files_.end()) {
      plugin_ = plugin->plugin_conf.get();
      plugin_path_ = plugin->path;
    }
    CheckPlugin();
    CompareMachines();
    CheckPartitions();
    CheckTopologies();
    CheckScheduler();
    CheckGres();
    CheckRules();
    if (plugin_ == nullptr) return;
    CheckLeftPartitions();
    CheckEndpoints();
    CheckNodePower();
  }

 private:
  void Error(const std::string& where, const std::string& message) {
    check_.errors.push_back(fmt::format("{}: {}", where, message));
  }
  void Warn(const std::string& where, const std::string& message) {
    check_.warnings.push_back(fmt::format("{}: {}", where, message));
  }

  void CheckPlugin();
  void CompareMachines();
  void Compare(const CheckedFile& file);
  void CheckPartitions();
  void CheckTopologies();
  // what and where: for the warning.
  void CheckTopology(const std::string& where, std::string_view what,
                     std::string_view plugin);
  void CheckScheduler();
  void CheckRules();
  void CheckLeftPartitions();
  void CheckEndpoints();
  void CheckGres();
  void CheckNodePower();

  bool HasPartition(const std::string& name) const {
    return std::any_of(
        conf_.partitions.begin(), conf_.partitions.end(),
        [&](const SlurmConf::Partition& p) { return p.name == name; });
  }
  // A key of coolspan.conf that is in the file.
  std::string WhereInPluginConf(const char* key) const {
    return fmt::format("{}:{}", plugin_path_, plugin_conf_line(plugin_, key));
  }
  std::string WhereOf(PluginFolderCheck::Setting setting) const;

  const SlurmConf& conf_;
  const std::span<const CheckedFile> files_;
  SlurmCheck& check_;
  const plugin_conf_t* plugin_ = nullptr;  // nullptr: none that is valid
  std::string plugin_path_;
};

std::string SlurmChecker::WhereOf(PluginFolderCheck::Setting setting) const {
  switch (setting) {
    case PluginFolderCheck::Setting::kPluginDir:
      return conf_.Where("plugindir");
    case PluginFolderCheck::Setting::kUnderlying:
      return WhereInPluginConf("Underlying");
    case PluginFolderCheck::Setting::kSelectType:
      break;
  }
  return conf_.Where("selecttype");
}

void SlurmChecker::CheckPlugin() {
  check_.select_type = conf_.Setting("selecttype");
  PluginFolderCheck found = CheckPluginFolders(
      check_.select_type, conf_.Setting("plugindir"),
      plugin_ == nullptr ? "cons_tres" : plugin_->underlying);
  check_.plugin = found.plugin;
  const std::string where = WhereOf(found.setting);
  if (!found.error.empty()) Error(where, found.error);
  if (!found.warning.empty()) Warn(where, found.warning);
  if (!found.note.empty()) {
    check_.notes.push_back(
        fmt::format("{}: {}", conf_.Where("plugindir"), found.note));
  }
}

void SlurmChecker::CompareMachines() {
  check_.nodes = conf_.nodes.size();
  if (conf_.nodes.empty()) {
    Error(conf_.path, "no nodes (expected lines NodeName=LIST)");
    return;
  }
  std::vector<fs::path> compared;
  for (const CheckedFile& file : files_) {
    if (file.machine == nullptr) continue;
    const bool again = std::any_of(
        compared.begin(), compared.end(), [&](const fs::path& other) {
          std::error_code ignored;
          return fs::equivalent(other, file.machine_path, ignored);
        });
    if (again) continue;
    compared.emplace_back(file.machine_path);
    Compare(file);
  }
  if (compared.empty()) {
    Warn(conf_.path,
         "nodes not compared (expected a machine file or the daemon file)");
  }
}

void SlurmChecker::Compare(const CheckedFile& file) {
  const Machine& machine = *file.machine;
  std::vector<std::string_view> not_in_machine;
  NodeSet seen(machine.node_count());
  for (const SlurmNode& node : conf_.nodes) {
    if (const auto id = machine.FindNode(node.name); id.has_value()) {
      seen.Insert(*id);
    } else if (!node.is_future) {
      not_in_machine.push_back(node.name);
    }
  }
  std::vector<std::string_view> not_in_slurm;
  for (NodeId id = 0; id < machine.node_count(); ++id) {
    if (!seen.Contains(id)) not_in_slurm.push_back(machine.NodeName(id));
  }
  const NodeComparison comparison{
      .machine_path = file.machine_path,
      .machine_nodes = machine.node_count(),
      .missing_in_machine = CompressHostlist(not_in_machine),
      .missing_in_slurm = CompressHostlist(not_in_slurm)};
  check_.comparisons.push_back(comparison);
  if (not_in_slurm.size() == machine.node_count()) {
    Error(
        conf_.path,
        fmt::format("none of its nodes is in {} (expected the same names: {} "
                    "here, {} there)",
                    file.machine_path, Printable(comparison.missing_in_machine),
                    Printable(comparison.missing_in_slurm)));
    return;
  }
  if (!not_in_machine.empty()) {
    Warn(conf_.path, fmt::format("{} not in {}: Coolspan never chooses them",
                                 Nodes(not_in_machine.size(),
                                       comparison.missing_in_machine),
                                 file.machine_path));
  }
  if (!not_in_slurm.empty()) {
    Warn(file.machine_path,
         fmt::format("{} not in {}: they never run a job",
                     Nodes(not_in_slurm.size(), comparison.missing_in_slurm),
                     conf_.path));
  }
}

// The conditions of plugin/left_to_slurm.c that depend on slurm.conf.
void SlurmChecker::CheckPartitions() {
  const bool honors_load = plugin_ == nullptr || plugin_->honor_weight;
  const std::string parameters = Lower(conf_.Setting("selecttypeparameters"));
  const std::vector<std::string> flags = absl::StrSplit(parameters, ',');
  const bool all_least_loaded =
      std::find(flags.begin(), flags.end(), "cr_lln") != flags.end();
  if (all_least_loaded && honors_load) {
    Warn(conf_.Where("selecttypeparameters"),
         "CR_LLN: jobs that share nodes are left to Slurm (HonorWeight=no in "
         "coolspan.conf overrides it)");
  }
  for (const SlurmConf::Partition& partition : conf_.partitions) {
    const std::string& share = partition.over_subscribe;
    // With one job on a core at a time, Slurm chooses as without it.
    int most = 0;
    const bool is_one =
        absl::SimpleAtoi(
            share.substr(std::min(share.size(), share.find(':') + 1)), &most) &&
        most == 1;
    if (!is_one && share.starts_with("FORCE")) {
      Warn(partition.where,
           fmt::format("OverSubscribe={}: all jobs in partition {} are left to "
                       "Slurm",
                       share, partition.name));
    } else if (!is_one && share.starts_with("YES")) {
      Warn(partition.where,
           fmt::format("OverSubscribe={}: jobs with --oversubscribe in "
                       "partition {} are left to Slurm",
                       share, partition.name));
    }
    if (partition.prefers_least_loaded && honors_load && !all_least_loaded &&
        share != "EXCLUSIVE") {
      Warn(partition.where,
           fmt::format("LLN=YES: jobs that share nodes in partition {} are "
                       "left to Slurm (HonorWeight=no in coolspan.conf "
                       "overrides it)",
                       partition.name));
    }
  }
}

// topology.yaml, if there is one, takes the place of TopologyPlugin.
void SlurmChecker::CheckTopologies() {
  const std::string yaml =
      (fs::path(conf_.path).parent_path() / "topology.yaml").string();
  const auto topologies = ReadTopologyYaml(yaml);
  if (topologies.ok()) {
    for (const YamlTopology& topology : *topologies) {
      CheckTopology(fmt::format("{}:{}", yaml, topology.place.line),
                    fmt::format("topology {}", Printable(topology.name)),
                    topology.plugin);
    }
    return;
  }
  if (!absl::IsNotFound(topologies.status())) {
    check_.warnings.push_back(MessageOf(topologies.status()));
  }
  const std::string plugin = Lower(conf_.Setting("topologyplugin"));
  constexpr std::string_view kType = "topology/";
  if (!plugin.starts_with(kType)) return;
  CheckTopology(conf_.Where("topologyplugin"), "TopologyPlugin=" + plugin,
                std::string_view(plugin).substr(kType.size()));
}

void SlurmChecker::CheckTopology(const std::string& where,
                                 std::string_view what,
                                 std::string_view plugin) {
  if (plugin == "none" || plugin == "default" || plugin == "flat") return;
  for (const NodeComparison& comparison : check_.comparisons) {
    const auto file =
        std::find_if(files_.begin(), files_.end(), [&](const CheckedFile& f) {
          return f.machine_path == comparison.machine_path;
        });
    const std::string kind(file->machine->topology().kind());
    if (plugin == "tree" && kind == "fat-tree") continue;
    if (plugin == "block") {
      if (kind == "blocks") continue;
      Warn(where, fmt::format("{}: jobs are placed by Slurm alone, because {} "
                              "has no blocks (expected topology.kind: blocks)",
                              what, comparison.machine_path));
      continue;
    }
    Warn(where, fmt::format("{}: overridden by the {} of {}", what, kind,
                            comparison.machine_path));
  }
}

void SlurmChecker::CheckScheduler() {
  const std::vector<std::string> parameters =
      absl::StrSplit(Lower(conf_.Setting("schedulerparameters")), ',');
  for (const char* name : {"pack_serial_at_end", "bf_busy_nodes"}) {
    if (std::find(parameters.begin(), parameters.end(), name) ==
        parameters.end()) {
      continue;
    }
    Warn(conf_.Where("schedulerparameters"),
         fmt::format("SchedulerParameters={}: overridden for jobs that are not "
                     "left to Slurm",
                     name));
  }
}

void SlurmChecker::CheckRules() {
  for (const CheckedFile& file : files_) {
    for (const auto& [line, name] : file.rule_partitions) {
      if (HasPartition(name)) continue;
      Warn(fmt::format("{}:{}", file.path, line),
           fmt::format("rules[].partition: partition {} is not in {}",
                       Printable(name), conf_.path));
    }
  }
}

void SlurmChecker::CheckLeftPartitions() {
  if (plugin_->leave_partitions == nullptr) return;
  const std::vector<std::string> names =
      absl::StrSplit(plugin_->leave_partitions, ',');
  for (const std::string& name : names) {
    if (HasPartition(name)) continue;
    Warn(WhereInPluginConf("LeavePartitions"),
         fmt::format("LeavePartitions: partition {} is not in {}",
                     Printable(name), conf_.path));
  }
}

// Ports only: the host of an endpoint is an address of the other host.
void SlurmChecker::CheckEndpoints() {
  const auto key = [](const std::string& endpoint) {
    return endpoint.starts_with("unix:")
               ? endpoint
               : endpoint.substr(endpoint.rfind(':') + 1);
  };
  absl::flat_hash_set<std::string> asked;
  const std::vector<std::string> endpoints =
      absl::StrSplit(plugin_->endpoints, ',');
  for (const std::string& endpoint : endpoints) asked.insert(key(endpoint));
  for (const CheckedFile& file : files_) {
    if (file.listen.empty()) continue;
    const bool listens = std::any_of(file.listen.begin(), file.listen.end(),
                                     [&](const std::string& endpoint) {
                                       return asked.contains(key(endpoint));
                                     });
    if (listens && file.has_tls && plugin_->tls_cert == nullptr &&
        std::any_of(endpoints.begin(), endpoints.end(),
                    [](const std::string& endpoint) {
                      return endpoint.starts_with("ipv4:");
                    })) {
      Error(WhereInPluginConf("Endpoints"),
            fmt::format("Endpoints={}: on TCP without a certificate, which the "
                        "tls of {} asks for (expected TlsCert, TlsKey and "
                        "TlsCa)",
                        plugin_->endpoints, file.path));
    }
    if (listens) continue;
    Warn(WhereInPluginConf("Endpoints"),
         fmt::format("Endpoints={}: the daemon of {} listens on {}",
                     plugin_->endpoints, file.path,
                     fmt::join(file.listen, ",")));
  }
}

void SlurmChecker::CheckGres() {
  const auto check = [&](std::string_view key, const std::string& value,
                         const std::string& where, std::string_view of) {
    if (value.empty() || value == "0") return;
    Warn(where, fmt::format("{}={}: jobs {}that request GPUs are left to Slurm",
                            key, value, of));
  };
  check("DefCpuPerGPU", conf_.Setting("defcpupergpu"),
        conf_.Where("defcpupergpu"), "");
  check("DefMemPerGPU", conf_.Setting("defmempergpu"),
        conf_.Where("defmempergpu"), "");
  for (const SlurmConf::Partition& partition : conf_.partitions) {
    const std::string of = fmt::format("in partition {} ", partition.name);
    check("DefCpuPerGPU", partition.cpus_per_gpu, partition.where, of);
    check("DefMemPerGPU", partition.memory_per_gpu, partition.where, of);
  }
}

void SlurmChecker::CheckNodePower() {
  const std::string type = Lower(conf_.Setting("acctgatherenergytype"));
  if (plugin_->node_power != NODE_POWER_YES ||
      (!type.empty() && type != "acct_gather_energy/none" && type != "none")) {
    return;
  }
  Warn(
      WhereInPluginConf("NodePower"),
      fmt::format("NodePower=yes: no AcctGatherEnergyType in {}: node power is "
                  "not measured",
                  conf_.path));
}

}  // namespace

std::string PluginConfBeside(const std::string& slurm_conf) {
  return (fs::path(slurm_conf).parent_path() / "coolspan.conf").string();
}

SlurmCheck CheckSlurm(const std::string& path,
                      std::span<const CheckedFile> files) {
  SlurmCheck check{.path = path};
  const auto conf = ReadSlurmConf(path);
  if (!conf.ok()) {
    check.errors.push_back(MessageOf(conf.status()));
    return check;
  }
  SlurmChecker(*conf, files, check).Check();
  return check;
}

}  // namespace coolspan
