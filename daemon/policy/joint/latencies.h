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

// H of joint-bqp-task-mapping, equation 9: hop distances or what was measured.
// A place is a vertex, or a node where latencies are measured; nodes of one
// place are 0 from each other.
class Latencies {
 public:
  // grid: of the topology, or null where it has no coordinates. measured: null
  // for hops; else of as many nodes as the topology has. All outlive it.
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
  // Over unordered pairs.
  double PairTotal(std::span<const NodeId> nodes) const;
  // Units of work (see Budget) of adding a place to sums.
  std::uint64_t WorkOfAdding() const {
    return grid() != nullptr ? 1 : place_count();
  }

 private:
  const Topology* topology_;
  const GridTable* grid_;
  const LatencyMatrix* measured_;
};

// Sums of latencies from any place to nodes that change.
class LatencySums {
 public:
  explicit LatencySums(const Latencies& latencies);

  void Add(std::uint32_t place, NodeCount nodes);
  void Remove(std::uint32_t place, NodeCount nodes);
  // To be called before asking, after any change.
  void Update() {
    if (hops_) hops_->Update();
  }
  double SumTo(std::uint32_t place) const {
    return hops_ ? static_cast<double>(hops_->SumTo(place)) : sums_[place];
  }
  // No place is farther from one that was ever added.
  double farthest() const;

 private:
  void AddRow(std::uint32_t place, double nodes);

  const Latencies& latencies_;
  std::optional<DistanceSums> hops_;
  std::vector<double> sums_;  // by place, where latencies are measured
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_LATENCIES_H_
