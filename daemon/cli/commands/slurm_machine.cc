// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/slurm_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "cli/render/json.h"
#include "config/machine/machine_file.h"
#include "config/machine/topology_yaml.h"
#include "core/counted.h"
#include "core/hostlist.h"
#include "formats/file_error.h"
#include "formats/slurm_lines.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string_view>;

// A JSON string is a YAML string.
std::string YamlText(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What Slurm's topology file describes for the cluster as a whole.
struct SlurmNetwork {
  std::string kind = {};  // of the machine file; empty: no network is known
  std::string name = {};  // in topology.yaml
  std::vector<std::string> warnings = {};
};

// A file without either word, such as Debian's example, describes no network.
absl::StatusOr<SlurmNetwork> NetworkOfConf(const std::string& topology_conf) {
  auto lines = SlurmLines::Open(topology_conf);
  if (!lines.ok()) return lines.status();
  while (true) {
    const auto line = lines->Next();
    if (!line.ok()) return line.status();
    if (line->empty()) return SlurmNetwork{};
    for (const SlurmSetting& setting : *line) {
      if (setting.key == "switchname") return SlurmNetwork{"fat-tree"};
      if (setting.key == "blockname") return SlurmNetwork{"blocks"};
    }
  }
}

absl::StatusOr<SlurmNetwork> NetworkOfYaml(const std::string& topology_yaml) {
  const auto topologies = ReadTopologyYaml(topology_yaml);
  if (!topologies.ok()) return topologies.status();
  if (topologies->empty()) return SlurmNetwork{};
  // Slurm uses the first one as well, if none is the default.
  auto chosen =
      std::find_if(topologies->begin(), topologies->end(),
                   [](const YamlTopology& t) { return t.is_cluster_default; });
  if (chosen == topologies->end()) chosen = topologies->begin();
  SlurmNetwork network;
  network.name = chosen->name;
  if (chosen->plugin == "tree") network.kind = "fat-tree";
  if (chosen->plugin == "block") network.kind = "blocks";
  if (topologies->size() > 1) {
    network.warnings.push_back(fmt::format(
        "{} has {} topologies: the machine file is of {}, the cluster's "
        "default",
        topology_yaml, topologies->size(), Quoted(chosen->name)));
  }
  return network;
}

// Those of the names that are not among the others.
Names NotAmong(const Names& names, const Names& others) {
  const absl::flat_hash_set<std::string_view> known(others.begin(),
                                                    others.end());
  Names missing;
  std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
               [&](std::string_view name) { return !known.contains(name); });
  return missing;
}

void WarnOf(const Names& missing, const std::string& what,
            SlurmMachine& machine) {
  if (missing.empty()) return;
  machine.warnings.push_back(
      fmt::format("{} ({}) {}", Counted(missing.size(), "node"),
                  Printable(CompressHostlist(missing)), what));
}

// The lines of the topology, which has the node names.
std::string NetworkLines(const SlurmNetwork& network,
                         const std::string& topology_conf,
                         SlurmMachine& machine) {
  machine.topology = network.kind;
  machine.topology_conf = topology_conf;
  return fmt::format(
      "# The {} and the node names are read from this file.\n"
      "topology: {{kind: {}, slurm_topology: {}{}}}\n",
      network.kind == "blocks" ? "blocks" : "switches", network.kind,
      YamlText(topology_conf),
      network.name.empty()
          ? ""
          : fmt::format(", slurm_topology_name: {}", YamlText(network.name)));
}

// Nodes that only Slurm or only the topology file has.
void WarnOfOtherNodes(const Names& nodes, const Machine& in_topology,
                      const std::string& topology_conf, SlurmMachine& machine) {
  Names names;
  names.reserve(in_topology.node_count());
  for (NodeId node = 0; node < in_topology.node_count(); ++node) {
    names.push_back(in_topology.NodeName(node));
  }
  WarnOf(NotAmong(nodes, names),
         fmt::format("not in {}: not in the machine file", topology_conf),
         machine);
  WarnOf(NotAmong(names, nodes),
         fmt::format("of {} not in Slurm: they never run a job", topology_conf),
         machine);
}

std::string LineLines(const Names& nodes, const std::string& topology_conf,
                      SlurmMachine& machine) {
  machine.topology = "mesh";
  machine.warnings.push_back(
      fmt::format("no switches or blocks in {}: a line of {} is assumed "
                  "(expected the network of the "
                  "machine as topology, see coolspan-machine(5))",
                  topology_conf, Counted(nodes.size(), "node")));
  return fmt::format(
      "# ASSUMED: Slurm has no topology.conf with switches or blocks, so the\n"
      "# nodes form a line, in the order of slurm.conf. Replace topology by "
      "the\n"
      "# network of the machine: mesh or torus, fat-tree, dragonfly, graph or\n"
      "# hops, see coolspan-machine(5).\n"
      "topology: {{kind: mesh, dims: [{}]}}\n"
      "nodes: {}\n",
      nodes.size(), YamlText(CompressHostlist(nodes)));
}

// One commented entry for each group of nodes with equal CPUs and features, in
// the order of their first nodes.
std::string TypeLines(const std::vector<const SlurmNode*>& nodes) {
  using Group = std::pair<std::uint32_t, std::string_view>;
  std::map<Group, Names> members;
  std::vector<Group> order;
  for (const SlurmNode* node : nodes) {
    const Group group(node->cpus, node->features);
    Names& names = members[group];
    if (names.empty()) order.push_back(group);
    names.push_back(node->name);
  }
  std::string text =
      "\n# Slurm does not know the power of nodes. For thermal policies, "
      "replace\n"
      "# the zeros by watts and remove the comment signs.\n"
      "#node_types:\n";
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [cpus, features] = order[i];
    text += fmt::format(
        "#  - {{name: type{}, nodes: {}, idle_w: 0, compute_w: 0, "
        "communicate_w: 0}}  # {}{}\n",
        i + 1, YamlText(CompressHostlist(members[order[i]])),
        Counted(cpus, "CPU"),
        features.empty() ? "" : ", features " + Printable(features));
  }
  return text;
}

}  // namespace

absl::StatusOr<SlurmMachine> MachineOf(const SlurmCluster& cluster,
                                       const std::string& topology_conf) {
  std::error_code ignored;
  const bool is_given = !topology_conf.empty();
  fs::path path = topology_conf;
  if (!is_given) {
    // As Slurm does, topology.yaml before topology.conf.
    path = fs::path(cluster.conf_path).parent_path() / "topology.yaml";
    if (!fs::exists(path, ignored)) path.replace_extension(".conf");
  }
  const std::string topology =
      fs::absolute(path, ignored).lexically_normal().string();
  auto network = IsTopologyYaml(topology) ? NetworkOfYaml(topology)
                                          : NetworkOfConf(topology);
  if (!network.ok()) {
    if (is_given || !absl::IsNotFound(network.status())) {
      return network.status();
    }
    network = SlurmNetwork{};
  }
  // For the error of a file without switches.
  if (is_given && network->kind.empty()) network->kind = "fat-tree";
  Names nodes;
  for (const SlurmNode& node : cluster.nodes) nodes.push_back(node.name);
  SlurmMachine machine;
  machine.warnings = std::move(network->warnings);
  const std::string head = fmt::format(
      "# Written by coolspan machine --from-slurm from {}.\n"
      "name: {}\n{}",
      Printable(cluster.source), YamlText(cluster.name),
      network->kind.empty() ? LineLines(nodes, topology, machine)
                            : NetworkLines(*network, topology, machine));
  const auto read = ParseMachineFile(
      head, fs::absolute("machine.yaml", ignored).string(), &machine.warnings);
  if (!read.ok()) return read.status();
  if (!network->kind.empty()) {
    WarnOfOtherNodes(nodes, **read, topology, machine);
  }
  std::vector<const SlurmNode*> in_machine;
  for (const SlurmNode& node : cluster.nodes) {
    if ((*read)->FindNode(node.name).has_value()) in_machine.push_back(&node);
  }
  machine.nodes = (*read)->node_count();
  machine.text = head + TypeLines(in_machine);
  return machine;
}

}  // namespace coolspan
