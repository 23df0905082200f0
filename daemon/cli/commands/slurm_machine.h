// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_SLURM_MACHINE_H_
#define COOLSPAN_CLI_COMMANDS_SLURM_MACHINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/slurm_node.h"

namespace coolspan {

// A cluster as Slurm describes it.
struct SlurmCluster {
  std::string name;
  std::string source;     // of the nodes, for the reader of the file
  std::string conf_path;  // slurm.conf
  std::vector<SlurmNode> nodes = {};  // without those that do not exist yet
};

// Runs scontrol. Errors: INVALID_ARGUMENT if it cannot be run, fails, or
// prints no nodes.
absl::StatusOr<SlurmCluster> ClusterOfScontrol();
// Errors: as ReadSlurmConf; INVALID_ARGUMENT without nodes.
absl::StatusOr<SlurmCluster> ClusterOfConf(const std::string& slurm_conf);

// A machine file of a cluster.
struct SlurmMachine {
  std::string text;
  std::string topology;            // kind
  std::string topology_conf = {};  // path; empty: not used
  std::size_t nodes = 0;
  std::vector<std::string> warnings = {};
};

// topology_conf: a topology.conf or topology.yaml; empty: the topology.yaml
// beside slurm.conf, else the topology.conf. Without switches or blocks, a line
// of nodes is assumed, with a warning. The text has passed ParseMachineFile.
// Errors: as SlurmLines, ReadTopologyYaml and ParseMachineFile.
absl::StatusOr<SlurmMachine> MachineOf(const SlurmCluster& cluster,
                                       const std::string& topology_conf);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_SLURM_MACHINE_H_
