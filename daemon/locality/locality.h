// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_LOCALITY_H_
#define COOLSPAN_LOCALITY_LOCALITY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/topology.h"
#include "core/types.h"
#include "ordering/ordering.h"

namespace coolspan {

// How compact one allocation is. Box figures are wrap-aware and absent where
// the topology has no coordinates. Terms as in docs (pairwise_total: sum of
// hop distance over unordered pairs; comm_cost: over ordered pairs / n; spans:
// cpa-rd100-cplant-bender, section 2.3; boxes: the same, section 3, Metrics).
struct Locality {
  struct Box {
    std::uint64_t size;      // vertices of the smallest enclosing box
    std::uint32_t dims_sum;  // of its extents
    std::uint64_t cube;      // (largest extent) ^ dimensions
    double box_expansion;    // size over the smallest box that holds n nodes
    double cube_expansion;   // cube over the smallest cube that holds n nodes
  };
  std::uint64_t pairwise_total;
  double pairwise_mean;  // 0 for one node
  double comm_cost;
  NodeCount linear_span;
  NodeCount ring_span;
  double stretch_span;  // ring_span / n
  std::optional<Box> box;
  std::uint32_t components;  // connected by single hops through own vertices
  // The least pairwise_total known for as many nodes of the empty machine, one
  // value for all policies (ideal_total.h).
  std::uint64_t ideal_pairwise_total;
};

// Computes localities of one machine and ordering; keeps scratch memory and
// answers that depend on n alone, so it costs O(n) a call on meshes, but for
// the first one of each n, which looks for the ideal. Not thread-safe: one a
// thread.
class LocalityMeter {
 public:
  LocalityMeter(const Topology& topology, const Ordering& ordering);
  ~LocalityMeter();
  // nodes: at least one, none twice, any order.
  Locality Measure(std::span<const NodeId> nodes);

 private:
  struct Scratch;
  const Topology& topology_;
  const Ordering& ordering_;
  std::unique_ptr<Scratch> scratch_;
};

// Calls visit(key, value) with the keys users see, in their order; value is
// nullopt where the key does not apply (JSON null).
void VisitMetrics(
    const Locality& locality,
    const std::function<void(std::string_view key,
                             std::optional<double> value)>& visit);

// Locality of a whole ordering: a step is the hop distance between consecutive
// ranks; locality_cost = sum over pairs of w(k) * distance, w(k) = 2^-k for
// rank differences k = 1..32 (cpa-rd100-cplant-bender, section 2.2); the ring
// form takes the difference around the ring, each unordered pair once.
inline constexpr std::uint32_t kLocalityReach = 32;
struct OrderingCost {
  Hops max_step = 0;
  double mean_step = 0;
  double locality_cost = 0;
  double locality_cost_ring = 0;
};
// ranked: every node once, in rank order.
OrderingCost MeasureOrdering(const Topology& topology,
                             std::span<const NodeId> ranked);
inline OrderingCost MeasureOrdering(const Topology& topology,
                                    const Ordering& ordering) {
  return MeasureOrdering(topology, ordering.nodes());
}

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_LOCALITY_H_
