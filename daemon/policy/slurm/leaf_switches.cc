// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/slurm/leaf_switches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/switches.h"

namespace coolspan {

LeafSwitches::LeafSwitches(const Topology& topology,
                           const std::vector<NodeId>& order,
                           SlurmRelease release)
    : topology_(topology), release_(release), leaf_of_(order.size()) {
  const Switches& tree = *topology.switches();
  std::vector<VertexId> listed = tree.listed;
  const auto top = static_cast<VertexId>(tree.parent.size() - 1);
  if (tree.HasImpliedTop()) listed.push_back(top);
  std::vector<SwitchIndex> index_of(tree.parent.size());
  for (SwitchIndex i = 0; i < listed.size(); ++i) index_of[listed[i]] = i;
  switches_.resize(listed.size());
  // By vertex, each switch comes before its parent.
  for (VertexId v = 0; v < tree.parent.size(); ++v) {
    Switch& item = switches_[index_of[v]];
    item.vertex = v;
    upwards_.push_back(index_of[v]);
    if (v == top) continue;
    item.parent = index_of[tree.parent[v]];
    Switch& above = switches_[item.parent];
    above.level = std::max(above.level, item.level + 1);
  }
  for (TableIndex i = 0; i < order.size(); ++i) {
    leaf_of_[i] = index_of[topology.VertexOf(order[i])];
    switches_[leaf_of_[i]].nodes.push_back(i);
  }
}

// The state of one request.
class LeafSwitches::Choice {
 public:
  Choice(const LeafSwitches& tree, TableNodes& nodes)
      : tree_(tree),
        nodes_(nodes),
        available_(tree.switches_.size(), 0),
        is_required_(tree.switches_.size(), false),
        distance_(tree.switches_.size(), 0) {}

  std::uint32_t Run() {
    Count();
    KeepTree();
    TakeRequiredLeaves();
    for (SwitchIndex i = 0; i < is_required_.size(); ++i) {
      if (is_required_[i]) AddDistances(i);
    }
    while (nodes_.missing() > 0) {
      const SwitchIndex leaf = BestLeaf();
      if (leaf == kNoSwitch) break;
      AddDistances(leaf);
      TakeFrom(leaf);
      if (tree_.release_ == SlurmRelease::k2411) {
        Subtract(leaf, available_[leaf]);
      }
      available_[leaf] = 0;
    }
    return leaves_used_;
  }

 private:
  const Switch& At(SwitchIndex i) const { return tree_.switches_[i]; }

  // Counts the available nodes below each switch, and marks the switches with
  // required ones.
  void Count() {
    for (TableIndex i = 0; i < nodes_.count(); ++i) {
      if (!nodes_.IsAvailable(i)) continue;
      const SwitchIndex leaf = tree_.leaf_of_[i];
      ++available_[leaf];
      if (nodes_.IsRequired(i)) is_required_[leaf] = true;
    }
    for (const SwitchIndex i : tree_.upwards_) {
      if (At(i).parent == kNoSwitch) continue;
      available_[At(i).parent] += available_[i];
      if (is_required_[i]) is_required_[At(i).parent] = true;
    }
  }

  // The tree of the highest switch that has enough nodes, of equal ones the
  // last; with required nodes, the highest above one of them, of equal ones the
  // first.
  SwitchIndex TopSwitch(bool has_required) const {
    const bool skips_implied = tree_.topology_.switches()->HasImpliedTop();
    const std::size_t end = available_.size() - (skips_implied ? 1 : 0);
    SwitchIndex top = kNoSwitch;
    for (SwitchIndex i = 0; i < end; ++i) {
      if (has_required) {
        if (!is_required_[i]) continue;
        if (top == kNoSwitch || At(i).level > At(top).level) top = i;
      } else if (available_[i] >= nodes_.missing()) {
        if (top == kNoSwitch || At(i).level >= At(top).level) top = i;
      }
    }
    return top;
  }

  bool IsBelow(SwitchIndex i, SwitchIndex top) const {
    while (i != top && i != kNoSwitch) i = At(i).parent;
    return i == top;
  }

  // Leaves the nodes outside the tree that is used uncounted.
  void KeepTree() {
    const bool has_required =
        std::find(is_required_.begin(), is_required_.end(), true) !=
        is_required_.end();
    const SwitchIndex top = TopSwitch(has_required);
    if (top == kNoSwitch || At(top).parent == kNoSwitch) return;
    std::vector<NodeCount> kept(available_.size(), 0);
    for (SwitchIndex i = 0; i < kept.size(); ++i) {
      const bool below = IsBelow(i, top);
      if (!below && is_required_[i] && At(i).level == 0) return;
      kept[i] = below ? available_[i] : 0;
    }
    // The required nodes are among those counted.
    if (has_required && kept[top] < nodes_.missing() + Required()) return;
    available_ = std::move(kept);
  }

  NodeCount Required() const {
    NodeCount required = 0;
    for (TableIndex i = 0; i < nodes_.count(); ++i) {
      required += nodes_.IsRequired(i) ? 1 : 0;
    }
    return required;
  }

  void TakeFrom(SwitchIndex leaf) {
    const NodeCount before = nodes_.missing();
    for (const TableIndex node : At(leaf).nodes) {
      if (nodes_.missing() == 0) break;
      if (nodes_.IsAvailable(node)) nodes_.Choose(node);
    }
    if (nodes_.missing() < before || is_required_[leaf]) ++leaves_used_;
  }

  void TakeRequiredLeaves() {
    NodeCount taken = 0;
    for (SwitchIndex i = 0; i < available_.size(); ++i) {
      if (!is_required_[i] || At(i).level != 0) continue;
      const NodeCount before = nodes_.missing();
      TakeFrom(i);
      taken += before - nodes_.missing();
      // 24.11 subtracts what it has taken from all of these so far.
      if (tree_.release_ == SlurmRelease::k2411) Subtract(i, taken);
    }
  }

  void Subtract(SwitchIndex i, NodeCount nodes) {
    for (; i != kNoSwitch; i = At(i).parent) {
      available_[i] -= std::min(available_[i], nodes);
    }
  }

  void AddDistances(SwitchIndex from) {
    for (SwitchIndex i = 0; i < distance_.size(); ++i) {
      if (available_[i] == 0 || At(i).level != 0) continue;
      distance_[i] +=
          tree_.topology_.VertexDistance(At(from).vertex, At(i).vertex);
    }
  }

  bool Fits(SwitchIndex i) const { return available_[i] >= nodes_.missing(); }

  struct Comparison {
    int order = 0;      // positive: i is better than j
    bool fits = false;  // i, or the switch above it that was compared last
  };
  Comparison Compare(SwitchIndex i, SwitchIndex j) const {
    while (true) {
      if (Fits(i) || Fits(j)) {
        if (Fits(i) != Fits(j)) return {Fits(i) ? 1 : -1, Fits(i)};
        if (available_[i] == available_[j]) return {CompareSizes(i, j), true};
        return {available_[i] < available_[j] ? 1 : -1, true};
      }
      const SwitchIndex above_i = At(i).parent;
      const SwitchIndex above_j = At(j).parent;
      if (above_i == above_j || above_i == kNoSwitch || above_j == kNoSwitch) {
        return {CompareSizes(i, j), false};
      }
      i = above_i;
      j = above_j;
    }
  }
  // More nodes are better, then a lower level.
  int CompareSizes(SwitchIndex i, SwitchIndex j) const {
    if (available_[i] != available_[j]) {
      return available_[i] > available_[j] ? 1 : -1;
    }
    if (At(i).level == At(j).level) return 0;
    return At(i).level < At(j).level ? 1 : -1;
  }

  bool IsBetter(SwitchIndex leaf, SwitchIndex best) const {
    if (distance_[leaf] > distance_[best]) return false;
    const Comparison compared = Compare(leaf, best);
    if (distance_[leaf] == distance_[best]) return compared.order > 0;
    return tree_.release_ == SlurmRelease::k2205 ? compared.order >= 0
                                                 : compared.fits;
  }

  SwitchIndex BestLeaf() const {
    SwitchIndex best = kNoSwitch;
    for (SwitchIndex i = 0; i < available_.size(); ++i) {
      if (At(i).level != 0 || is_required_[i] || available_[i] == 0) continue;
      if (best == kNoSwitch || IsBetter(i, best)) best = i;
    }
    return best;
  }

  const LeafSwitches& tree_;
  TableNodes& nodes_;
  std::vector<NodeCount> available_;     // below each switch, or 0 once taken
  std::vector<bool> is_required_;        // a required node is below
  std::vector<std::uint64_t> distance_;  // to the switches before, in hops
  std::uint32_t leaves_used_ = 0;
};

std::uint32_t LeafSwitches::Choose(TableNodes& nodes) const {
  return Choice(*this, nodes).Run();
}

}  // namespace coolspan
