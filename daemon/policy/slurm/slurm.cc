// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/slurm/slurm.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policy/place_demand.h"
#include "policy/policies.h"
#include "policy/slurm/base_blocks.h"
#include "policy/slurm/consecutive_sets.h"
#include "policy/slurm/leaf_switches.h"
#include "policy/slurm/node_order.h"

namespace coolspan {
namespace {

enum class SlurmTopologyPlugin { kDefault, kTree, kBlock, kTorus3d };

SlurmTopologyPlugin PluginFor(const Machine& machine,
                              const PolicyOptions& options) {
  const auto word = static_cast<std::size_t>(options.Value("topology"));
  if (word > 0) return static_cast<SlurmTopologyPlugin>(word - 1);
  const Topology& topology = machine.topology();
  if (topology.blocks() != nullptr) return SlurmTopologyPlugin::kBlock;
  if (topology.switches() != nullptr) return SlurmTopologyPlugin::kTree;
  return SlurmTopologyPlugin::kDefault;
}

SlurmRelease ReleaseOf(const PolicyOptions& options) {
  return options.Value("release") == 0 ? SlurmRelease::k2411
                                       : SlurmRelease::k2205;
}

// The nodes that Slurm itself would choose for exclusive jobs: select/cons_tres
// with a topology plugin, nodes of equal weight and number of CPUs, all
// SchedulerParameters and TopologyParam as by default. Required nodes are as
// with --nodelist.
class Slurm final : public Policy {
 public:
  Slurm(std::shared_ptr<const Machine> machine, const PolicyOptions& options)
      : machine_(std::move(machine)),
        plugin_(PluginFor(*machine_, options)),
        order_(plugin_ == SlurmTopologyPlugin::kTorus3d
                   ? SlurmTorusOrder(*machine_)
                   : SlurmNameOrder(*machine_)) {
    const Topology& topology = machine_->topology();
    if (plugin_ == SlurmTopologyPlugin::kTree) {
      tree_.emplace(topology, order_, ReleaseOf(options));
    } else if (plugin_ == SlurmTopologyPlugin::kBlock) {
      blocks_.emplace(*topology.blocks(), order_);
    }
  }

  std::string_view name() const override { return "slurm"; }
  bool PlacesSegments() const override {
    return plugin_ == SlurmTopologyPlugin::kBlock;
  }

  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& trace) const override {
    bool found = true;
    std::optional<Allocation> allocation = PlaceDemand(
        view, request, trace, [&](const Choice& choice, Trace& facts) {
          std::optional<std::vector<NodeId>> nodes =
              Choose(choice, request.segment_nodes, facts);
          found = nodes.has_value();
          return nodes.value_or(std::vector<NodeId>());
        });
    return found ? allocation : std::nullopt;
  }

 private:
  std::optional<std::vector<NodeId>> Choose(const Choice& choice,
                                            NodeCount segment_nodes,
                                            Trace& trace) const {
    if (blocks_.has_value() && segment_nodes > 0) {
      return ChooseSegments(choice, segment_nodes, trace);
    }
    TableNodes nodes(order_, choice.available, choice.required, choice.nodes);
    if (tree_.has_value()) {
      trace.Note("leaf_switches", std::int64_t{tree_->Choose(nodes)});
    } else if (!blocks_.has_value()) {
      ChooseConsecutive(nodes);
    } else if (!blocks_->Choose(nodes)) {
      return std::nullopt;
    }
    return nodes.TakeChosen();
  }

  // One after the other, each as a job of its own. Slurm 24.11 refuses segments
  // of more nodes than a base block has.
  std::optional<std::vector<NodeId>> ChooseSegments(const Choice& choice,
                                                    NodeCount segment_nodes,
                                                    Trace& trace) const {
    const NodeCount segments = choice.nodes / segment_nodes;
    if (segments > 1 &&
        segment_nodes > machine_->topology().blocks()->base_nodes) {
      return std::nullopt;
    }
    NodeSet left = choice.available;
    std::vector<NodeId> chosen;
    for (NodeCount i = 0; i < segments; ++i) {
      TableNodes nodes(order_, left, choice.required, segment_nodes);
      if (!blocks_->Choose(nodes)) return std::nullopt;
      for (const NodeId node : nodes.TakeChosen()) {
        left.Erase(node);
        chosen.push_back(node);
      }
    }
    trace.Note("segments", std::int64_t{segments});
    return chosen;
  }

  const std::shared_ptr<const Machine> machine_;
  const SlurmTopologyPlugin plugin_;
  const std::vector<NodeId> order_;  // of the node table
  std::optional<LeafSwitches> tree_;
  std::optional<BaseBlocks> blocks_;
};

}  // namespace

std::string SlurmMisfit(const Machine& machine, const PolicyOptions& options) {
  const Topology& topology = machine.topology();
  switch (PluginFor(machine, options)) {
    case SlurmTopologyPlugin::kDefault:
      break;
    case SlurmTopologyPlugin::kTree:
      if (topology.switches() != nullptr && topology.blocks() == nullptr) break;
      return "the machine has no switches (expected topology.kind: fat-tree)";
    case SlurmTopologyPlugin::kBlock:
      if (topology.blocks() != nullptr) break;
      return "the machine has no blocks (expected topology.kind: blocks)";
    case SlurmTopologyPlugin::kTorus3d:
      if (IsSlurmTorus(topology)) break;
      return absl::StrCat(
          "the machine has no coordinates for topology/3d_torus (expected "
          "topology.kind: mesh with three dimensions of at most ",
          kTorusSide, ")");
  }
  return {};
}

std::unique_ptr<Policy> MakeSlurm(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options) {
  return std::make_unique<Slurm>(machine, options);
}

}  // namespace coolspan
