// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/stream_costs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace coolspan {
namespace {

std::vector<std::int32_t> BusyPhi(const MachineView& view,
                                  const Request& request,
                                  const StreamWeights& weights) {
  const TimeMs run_ms = request.expected_run_ms;
  if (run_ms <= 0 || !view.KnowsEnds() ||
      (weights.ends_before == 0 && weights.ends_after == 0)) {
    return {};
  }
  const Topology& topology = view.topology();
  const NodeSet& available = view.available();
  std::vector<std::int32_t> phi(topology.vertex_count(), 0);
  // Neighbouring nodes often belong to one job.
  TimeMs last_end_ms = kUnknownEnd;
  std::int32_t last_phi = 0;
  const NodeCount nodes = available.size();
  for (NodeId base = 0; base < nodes; base += NodeSet::kWordBits) {
    const NodeId end = std::min(nodes, base + NodeSet::kWordBits);
    std::uint64_t free = available.word(base / NodeSet::kWordBits);
    for (NodeId node = base; node < end; ++node, free >>= 1) {
      if ((free & 1) != 0) continue;
      const TimeMs end_ms = view.EndOn(node);
      if (end_ms == kUnknownEnd) continue;
      if (end_ms != last_end_ms) {
        last_end_ms = end_ms;
        last_phi = static_cast<std::int32_t>(std::lround(
            kPhiUnit * PhiOf(run_ms, end_ms, view.now_ms(), weights)));
      }
      std::int32_t& sum = phi[topology.VertexOf(node)];
      sum = static_cast<std::int32_t>(
          std::min(std::int64_t{sum} + last_phi, kMaxPhi));
    }
  }
  return phi;
}

}  // namespace

double PhiOf(TimeMs run_ms, TimeMs end_ms, TimeMs now_ms,
             const StreamWeights& weights) {
  if (run_ms <= 0 || end_ms == kUnknownEnd) return 0;
  const TimeMs left_ms = std::max<TimeMs>(end_ms - now_ms, 0);
  const double weight =
      left_ms < run_ms ? weights.ends_before : weights.ends_after;
  return weight * static_cast<double>(std::abs(run_ms - left_ms)) /
         static_cast<double>(std::max(run_ms, left_ms));
}

double StartsDuring(const MachineView& view, const Request& request) {
  constexpr double kUnknown = 2.0 / 3;
  constexpr std::size_t kMany = 10;
  const RecentStarts* const starts = view.recent_starts();
  const TimeMs run_ms = request.expected_run_ms;
  if (starts == nullptr || starts->size() == 0 || run_ms <= 0) return kUnknown;
  std::size_t sum = 0;
  std::size_t next = 1;  // the first start not within run_ms of start i
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const TimeMs from_ms = (*starts)[i].start_ms;
    while (next < starts->size() &&
           (*starts)[next].start_ms - from_ms <= run_ms) {
      ++next;
    }
    const bool includes_this =
        next == starts->size() && view.now_ms() - from_ms <= run_ms;
    sum += std::min(kMany, next - i - 1 + (includes_this ? 1 : 0));
  }
  return static_cast<double>(sum) / static_cast<double>(kMany * starts->size());
}

StreamCosts CostsFor(const MachineView& view, const Request& request,
                     const StreamWeights& weights) {
  StreamCosts costs;
  costs.perimeter_weight =
      weights.perimeter *
      (1 - weights.rate + weights.rate * StartsDuring(view, request));
  costs.busy_phi = BusyPhi(view, request, weights);
  return costs;
}

}  // namespace coolspan
