// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_NEIGHBOURS_H_
#define COOLSPAN_POLICY_STREAM_NEIGHBOURS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The neighbours of vertices with nodes on a network without coordinates: the
// vertices with nodes one hop away, and those behind a switch without nodes one
// hop away, as leaf switches below one switch, or nodes at one. Made once for a
// machine. Immutable, thread-safe.
class Neighbours {
 public:
  explicit Neighbours(const Topology& topology);

  // Vertices with nodes one hop away.
  std::span<const VertexId> Beside(VertexId vertex) const {
    return Row(first_beside_, beside_, vertex);
  }
  // Switches without nodes one hop away that other vertices with nodes share.
  std::span<const std::uint32_t> Switches(VertexId vertex) const {
    return Row(first_switch_, switches_, vertex);
  }
  std::uint32_t switch_count() const {
    return static_cast<std::uint32_t>(switch_weights_.size());
  }

  // The weights of a pair of nodes: of two vertices one hop apart,
  double beside_weight() const { return beside_weight_; }
  // of two vertices behind the same switch,
  double switch_weight(std::uint32_t index) const {
    return switch_weights_[index];
  }
  // and of one vertex.
  double own_weight(VertexId vertex) const { return own_weights_[vertex]; }

 private:
  template <typename Id>
  static std::span<const Id> Row(const std::vector<std::size_t>& first,
                                 const std::vector<Id>& of, VertexId vertex) {
    return std::span(of).subspan(first[vertex],
                                 first[vertex + 1] - first[vertex]);
  }
  void SetOnGrid(const Topology& topology, const Grid& grid);
  void SetOnNetwork(const Topology& topology);

  std::vector<std::size_t> first_beside_ = {0};
  std::vector<VertexId> beside_;
  std::vector<std::size_t> first_switch_ = {0};
  std::vector<std::uint32_t> switches_;
  std::vector<double> switch_weights_;
  std::vector<double> own_weights_;  // by vertex
  double beside_weight_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_NEIGHBOURS_H_
