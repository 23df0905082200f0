// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_FREE_SPACE_H_
#define COOLSPAN_REPLAY_OBSERVERS_FREE_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/machine.h"
#include "core/node_set.h"
#include "core/types.h"
#include "ordering/ordering.h"
#include "replay/run_series.h"

namespace coolspan {

// The free nodes of a machine during a run and their fragmentation. Not
// thread-safe.
class FreeSpaceMeter {
 public:
  // All nodes are free. with_shape: Measure also fills FreeSpace::shape. The
  // arguments must outlive the object.
  FreeSpaceMeter(const Machine& machine, const Ordering& ordering,
                 bool with_shape);
  ~FreeSpaceMeter();

  // Cost: O(nodes given). REQUIRES free nodes, or nodes that are not.
  void Take(const std::vector<NodeId>& nodes);
  void Release(const std::vector<NodeId>& nodes);
  NodeCount free_nodes() const { return free_nodes_; }
  // O(nodes / 64 + intervals + switches) and the search for the largest box;
  // with shape O(nodes + links).
  FreeSpace Measure();

 private:
  class Shape;

  // Changes the free nodes at the vertex of a node.
  void Set(NodeId node, bool is_free);

  const Machine& machine_;
  const Ordering& ordering_;
  const Blocks* const blocks_;  // nullptr: none
  NodeCount free_nodes_;
  std::vector<std::uint64_t> free_ranks_;  // bits
  std::vector<NodeCount> free_in_block_;   // by base block; empty without
  bool has_box_;                           // FreeSpace::largest_box
  std::vector<NodeCount> free_at_;         // by vertex; empty if not needed
  std::unique_ptr<Shape> shape_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_FREE_SPACE_H_
