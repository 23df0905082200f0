// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_LEAF_SWITCHES_H_
#define COOLSPAN_POLICY_SLURM_LEAF_SWITCHES_H_

#include <cstdint>
#include <vector>

#include "core/topology.h"
#include "policy/slurm/slurm_release.h"
#include "policy/slurm/table_nodes.h"

namespace coolspan {

// The choice of topology/tree, for whole nodes of equal weight. Leaf switches
// are taken one after the other, all available nodes of each, the first ones of
// the last. The next one is
//  - of those at the same total distance from the ones before: the one with the
//    fewest available nodes that has enough; if none of two has, the one below
//    the better switch of their levels above, by the same rule, and if none of
//    these has enough, the one below the switch with the most;
//  - else the nearer of two: in 22.05 if it is no worse by the rule above, in
//    24.11 if it, or a switch above it that was compared, has enough.
// Equal ones in the order of topology.conf. Leaf switches with required nodes
// come first.
// Source: behaviour of _eval_nodes_topo in Slurm 22.05 and 24.11. Where Slurm
// finds no tree with enough nodes because topology.conf has several, the switch
// that the machine file implies above them is used.
class LeafSwitches {
 public:
  // order: of Slurm's node table. The arguments must outlive the object.
  // REQUIRES topology.switches().
  LeafSwitches(const Topology& topology, const std::vector<NodeId>& order,
               SlurmRelease release);

  // Chooses all missing nodes. Returns the number of leaf switches with chosen
  // nodes. Thread-safe.
  std::uint32_t Choose(TableNodes& nodes) const;

 private:
  class Choice;
  // The index of a switch, in the order of topology.conf; an implied top is
  // last.
  using SwitchIndex = std::uint32_t;
  static constexpr SwitchIndex kNoSwitch = ~SwitchIndex{0};

  struct Switch {
    VertexId vertex = 0;
    SwitchIndex parent = kNoSwitch;
    std::uint32_t level = 0;        // 0: a leaf
    std::vector<TableIndex> nodes;  // of a leaf, ascending
  };

  const Topology& topology_;
  const SlurmRelease release_;
  std::vector<Switch> switches_;
  std::vector<SwitchIndex> upwards_;  // each before its parent
  std::vector<SwitchIndex> leaf_of_;  // by TableIndex
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_LEAF_SWITCHES_H_
