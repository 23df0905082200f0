// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_TABLE_NODES_H_
#define COOLSPAN_POLICY_SLURM_TABLE_NODES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/node_set.h"
#include "core/types.h"

namespace coolspan {

// The index of a node in Slurm's node table.
using TableIndex = std::uint32_t;

// The state of one request to Slurm's select plugin, by TableIndex: the nodes
// that may be chosen and those that are.
class TableNodes {
 public:
  // order: all nodes as in the node table; must outlive the object. required: a
  // subset of available, or of size 0; they are chosen from the start.
  // nodes: to choose in all, at least the required ones, at most the available.
  TableNodes(const std::vector<NodeId>& order, const NodeSet& available,
             const NodeSet& required, NodeCount nodes)
      : order_(order),
        available_(available),
        required_(required),
        chosen_(required.Members()),
        is_chosen_(required.size() == 0 ? NodeSet(available.size()) : required),
        missing_(nodes - static_cast<NodeCount>(chosen_.size())) {}

  TableIndex count() const { return static_cast<TableIndex>(order_.size()); }
  NodeId NodeAt(TableIndex index) const { return order_[index]; }
  bool IsAvailable(TableIndex index) const {
    return available_.Contains(order_[index]);
  }
  bool IsRequired(TableIndex index) const {
    return required_.size() != 0 && required_.Contains(order_[index]);
  }
  bool IsChosen(TableIndex index) const {
    return is_chosen_.Contains(order_[index]);
  }
  NodeCount missing() const { return missing_; }

  // Chooses a node that is available; false: it is chosen already, or none is
  // missing.
  bool Choose(TableIndex index) {
    const NodeId node = order_[index];
    if (missing_ == 0 || is_chosen_.Contains(node)) return false;
    is_chosen_.Insert(node);
    chosen_.push_back(node);
    --missing_;
    return true;
  }
  std::vector<NodeId> TakeChosen() { return std::move(chosen_); }

 private:
  const std::vector<NodeId>& order_;
  const NodeSet& available_;
  const NodeSet& required_;
  std::vector<NodeId> chosen_;
  NodeSet is_chosen_;
  NodeCount missing_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_TABLE_NODES_H_
