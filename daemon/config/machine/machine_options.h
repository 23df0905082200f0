// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_MACHINE_OPTIONS_H_
#define COOLSPAN_CONFIG_MACHINE_MACHINE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options/option.h"

namespace coolspan {

// The contents of a machine file, each value validated on its own. The place of
// an omitted option has line 0.
struct MachineDescription {
  struct TopologyPart {
    Place place;
    Placed<std::string> kind;
    Placed<std::vector<std::int64_t>> dims;
    Placed<std::vector<bool>> wrap;
    Placed<std::int64_t> nodes_per_vertex;
    Placed<std::vector<std::string>> holes;
    Placed<std::string> slurm_topology;  // path
    Placed<std::string> slurm_topology_name;
    Placed<std::int64_t> spare_nodes;  // of each block
    Placed<std::int64_t> groups;
    Placed<std::int64_t> routers;  // per group
    Placed<std::int64_t> nodes;    // per router
    Placed<std::string> links;     // path, like the next two
    Placed<std::string> edges;
    Placed<std::string> matrix;
  };
  struct NodeType {
    Placed<std::string> name;
    Placed<std::string> nodes;
    double idle_w = 0;
    double compute_w = 0;
    double communicate_w = 0;
    double speed = 1;
    std::int64_t servers = 1;
  };
  struct ThermalPart {
    Place place;
    Placed<std::string> heat_distribution;   // path
    Placed<std::string> cross_interference;  // path
    Placed<std::vector<double>> airflow_w_per_k;
    std::int64_t nodes_per_zone = 1;
    bool idle_on = true;
    double supply_c = 0;
    double redline_c = 0;
    Placed<std::vector<double>> cop;  // c2, c1, c0
    double time_constant_s = 0;
  };

  Placed<std::string> name;
  TopologyPart topology;
  Placed<std::string> nodes;        // hostlist
  Placed<std::string> coordinates;  // path
  std::vector<NodeType> node_types;
  double communication_share = 0;
  std::optional<ThermalPart> thermal;
};

std::span<const Option<MachineDescription>> MachineOptionTable();

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_MACHINE_OPTIONS_H_
