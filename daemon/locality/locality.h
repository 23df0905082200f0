// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_LOCALITY_H_
#define COOLSPAN_LOCALITY_LOCALITY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/topology.h"
#include "core/types.h"
#include "locality/ideal_total.h"
#include "ordering/ordering.h"

namespace coolspan {

// Compactness of an allocation S of n nodes, d the hop distance:
//   pairwise_total = sum over unordered pairs {a, b} of S of d(a, b)
//   pairwise_mean  = pairwise_total / (n (n - 1) / 2)
//   comm_cost      = sum over ordered pairs of d / n = 2 pairwise_total / n
// (joint-allocation-sst, equation 1); spans: cpa-rd100-cplant-bender, section
// 2.3; boxes: section 3, Metrics. Boxes wrap around rings and are absent if the
// topology has no coordinates.
struct Locality {
  struct Box {
    std::uint64_t size;      // vertices of the smallest enclosing box
    std::uint32_t dims_sum;  // sum of its extents
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
  std::uint32_t components;  // connected components of the vertices of S
  // Smallest known pairwise_total of n nodes on the empty machine
  // (ideal_total.h).
  std::uint64_t ideal_pairwise_total;
};

// Computes localities for one machine and ordering. Keeps scratch memory and
// caches values that depend on n alone, so a call is O(n) on meshes, except the
// first one for each n, which searches for the ideal total. Not thread-safe.
class LocalityMeter {
 public:
  // ideal_totals: of the same topology, maybe shared with other meters; must
  // outlive this object. nullptr: its own.
  LocalityMeter(const Topology& topology, const Ordering& ordering,
                IdealTotals* ideal_totals = nullptr);
  ~LocalityMeter();
  // nodes: at least one, no duplicates, any order.
  Locality Measure(std::span<const NodeId> nodes);

 private:
  struct Scratch;
  const Topology& topology_;
  const Ordering& ordering_;
  std::unique_ptr<Scratch> scratch_;
};

// Calls visit(key, value) for each metric, in the order of reports; value is
// nullopt if the metric does not apply (JSON null).
void VisitMetrics(
    const Locality& locality,
    absl::FunctionRef<void(std::string_view key, std::optional<double> value)>
        visit);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_LOCALITY_H_
