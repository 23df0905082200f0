// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_LATENCIES_H_
#define COOLSPAN_POLICY_JOINT_LATENCIES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/topology.h"
#include "policy/distance/distance_sums.h"
#include "policy/distance/grid_places.h"
#include "topology/latency_matrix.h"

namespace coolspan {

// The latency matrix H of joint-bqp-task-mapping, equation 9: hop distances or
// measured latencies. A place is a vertex for hop distances and a node for
// measured latencies. The latency between two nodes of one place is 0.
class Latencies {
 public:
  // grid: of the topology; nullptr if it has no coordinates. measured: nullptr
  // for hop distances, else for all nodes of the topology. All must outlive
  // this.
  Latencies(const Topology& topology, const GridTable* grid,
            const LatencyMatrix* measured)
      : topology_(&topology), grid_(grid), measured_(measured) {}

  const Topology& topology() const { return *topology_; }
  const GridTable* grid() const {
    return measured_ == nullptr ? grid_ : nullptr;
  }
  const LatencyMatrix* measured() const { return measured_; }

  std::uint32_t PlaceOf(NodeId node) const {
    return measured_ != nullptr ? node : topology_->VertexOf(node);
  }
  std::uint32_t place_count() const {
    return measured_ != nullptr ? measured_->node_count()
                                : topology_->vertex_count();
  }
  double Between(std::uint32_t a, std::uint32_t b) const {
    return measured_ != nullptr ? measured_->Between(a, b)
                                : topology_->VertexDistance(a, b);
  }
  // sum_{a<b} H_ab over the nodes.
  double PairTotal(std::span<const NodeId> nodes) const;
  // Budget units of adding a place to LatencySums.
  std::uint64_t WorkOfAdding() const {
    return grid() != nullptr ? 1 : place_count();
  }

 private:
  const Topology* topology_;
  const GridTable* grid_;
  const LatencyMatrix* measured_;
};

// Sums of latencies from any place to a changing set of nodes.
class LatencySums {
 public:
  explicit LatencySums(const Latencies& latencies);

  void Add(std::uint32_t place, NodeCount nodes);
  void Remove(std::uint32_t place, NodeCount nodes);
  // Call after changes and before SumTo.
  void Update() {
    if (hops_) hops_->Update();
  }
  double SumTo(std::uint32_t place) const {
    return hops_ ? static_cast<double>(hops_->SumTo(place)) : sums_[place];
  }
  // The maximum latency from any place to one that was ever added.
  double farthest() const;

 private:
  void AddRow(std::uint32_t place, double nodes);

  const Latencies& latencies_;
  std::optional<DistanceSums> hops_;
  std::vector<double> sums_;  // by place; measured latencies only
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_LATENCIES_H_
