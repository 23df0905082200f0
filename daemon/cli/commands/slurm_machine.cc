// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/slurm_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "cli/render/json.h"
#include "config/machine/machine_file.h"
#include "core/counted.h"
#include "core/hostlist.h"
#include "formats/file_error.h"
#include "formats/slurm_lines.h"
#include "formats/slurm_topology.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string_view>;

// A JSON string is a YAML string.
std::string YamlText(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A file without the word, such as Debian's example, describes no network.
bool HasSwitches(const std::string& topology_conf) {
  auto lines = SlurmLines::Open(topology_conf);
  while (lines.ok()) {
    const auto line = lines->Next();
    if (!line.ok()) return true;  // for the error of ReadSlurmTopology
    if (line->empty()) return false;
    const bool is_switch = std::any_of(
        line->begin(), line->end(),
        [](const SlurmSetting& s) { return s.key == "switchname"; });
    if (is_switch) return true;
  }
  return false;
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

// The lines of the topology and, if it does not have them, of the node names.
absl::StatusOr<std::string> TreeLines(const Names& nodes,
                                      const std::string& topology_conf,
                                      SlurmMachine& machine) {
  const auto topology = ReadSlurmTopology(topology_conf);
  if (!topology.ok()) return topology.status();
  const Names in_topology(topology->names.begin(), topology->names.end());
  WarnOf(NotAmong(nodes, in_topology),
         fmt::format("not in {}: not in the machine file", topology_conf),
         machine);
  WarnOf(NotAmong(in_topology, nodes),
         fmt::format("of {} not in Slurm: they never run a job", topology_conf),
         machine);
  machine.topology = "fat-tree";
  machine.topology_conf = topology_conf;
  return fmt::format(
      "# The switches and the node names are read from this file.\n"
      "topology: {{kind: fat-tree, slurm_topology: {}}}\n",
      YamlText(topology_conf));
}

std::string LineLines(const Names& nodes, const std::string& topology_conf,
                      SlurmMachine& machine) {
  machine.topology = "mesh";
  machine.warnings.push_back(fmt::format(
      "no switches in {}: a line of {} is assumed (expected the network of the "
      "machine as topology, see coolspan-machine(5))",
      topology_conf, Counted(nodes.size(), "node")));
  return fmt::format(
      "# ASSUMED: Slurm has no topology.conf with switches, so the nodes form "
      "a\n"
      "# line, in the order of slurm.conf. Replace topology by the network of\n"
      "# the machine: mesh or torus, fat-tree, dragonfly, graph or hops, see\n"
      "# coolspan-machine(5).\n"
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
  const fs::path beside =
      fs::path(cluster.conf_path).parent_path() / "topology.conf";
  const bool is_given = !topology_conf.empty();
  const std::string path =
      fs::absolute(is_given ? topology_conf : beside.string(), ignored)
          .lexically_normal()
          .string();
  Names nodes;
  for (const SlurmNode& node : cluster.nodes) nodes.push_back(node.name);
  SlurmMachine machine;
  absl::StatusOr<std::string> topology = is_given || HasSwitches(path)
                                             ? TreeLines(nodes, path, machine)
                                             : LineLines(nodes, path, machine);
  if (!topology.ok()) return topology.status();
  const std::string head = fmt::format(
      "# Written by coolspan machine --from-slurm from {}.\n"
      "name: {}\n{}",
      Printable(cluster.source), YamlText(cluster.name), *topology);
  const auto read = ParseMachineFile(
      head, fs::absolute("machine.yaml", ignored).string(), &machine.warnings);
  if (!read.ok()) return read.status();
  std::vector<const SlurmNode*> in_machine;
  for (const SlurmNode& node : cluster.nodes) {
    if ((*read)->FindNode(node.name).has_value()) in_machine.push_back(&node);
  }
  machine.nodes = (*read)->node_count();
  machine.text = head + TypeLines(in_machine);
  return machine;
}

}  // namespace coolspan
