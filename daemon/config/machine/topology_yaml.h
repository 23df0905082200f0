// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_TOPOLOGY_YAML_H_
#define COOLSPAN_CONFIG_MACHINE_TOPOLOGY_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/file_error.h"
#include "formats/slurm_lines.h"

namespace coolspan {

// A topology of Slurm's topology.yaml.
struct YamlTopology {
  std::string name;
  Place place;
  bool is_cluster_default = false;
  std::string plugin;  // the key of its description: "tree", "block", "flat"
  // Of "tree" and "block": what topology.conf would have.
  std::vector<SlurmLine> lines;
};

// Whether Slurm reads a file of that name as YAML.
bool IsTopologyYaml(const std::string& path);

// The topologies of a topology.yaml (topology.yaml(5) of Slurm 25.11), in the
// order of the file. Descriptions of other plugins than tree and block are not
// read. Errors: as ReadTextFile; INVALID_ARGUMENT "file:line:column: ..." for a
// text that is not such a list, and for a name that is used twice.
absl::StatusOr<std::vector<YamlTopology>> ReadTopologyYaml(
    const std::string& path);

// The topology of the plugin ("tree" or "block") with that name; "": the
// cluster's default, if it is of the plugin, else the only one of the plugin.
// Error: INVALID_ARGUMENT, without file and line, if there is no such topology.
absl::StatusOr<YamlTopology> ChooseTopology(
    const std::vector<YamlTopology>& topologies, std::string_view plugin,
    std::string_view name);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_TOPOLOGY_YAML_H_
