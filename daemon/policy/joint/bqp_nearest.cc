// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/bqp_nearest.h"

#include <algorithm>

#include "policy/distance/ball_tables.h"

namespace coolspan {

BqpNearest::BqpNearest(const BqpProblem& problem) : problem_(problem) {
  NodeCount here = 0;
  for (std::size_t s = 0; s < problem.sites.size(); ++s) {
    const BqpSite& site = problem.sites[s];
    const bool same = s > 0 && problem.sites[s - 1].place == site.place;
    here = same ? here + site.count : site.count;
    max_at_a_place_ = std::max(max_at_a_place_, here);
  }
}

const std::vector<double>& BqpNearest::SumsOf(std::uint32_t site,
                                              NodeCount nearest) {
  sums_.assign(1, 0.0);
  if (problem_.latencies.measured() != nullptr) {
    SumMeasured(site, nearest);
    return sums_;
  }
  CountByHops(site);
  for (Hops hops = 0; sums_.size() <= nearest; ++hops) {
    for (NodeCount i = 0; i < nodes_at_hops_[hops] && sums_.size() <= nearest;
         ++i) {
      sums_.push_back(sums_.back() + hops);
    }
  }
  return sums_;
}

void BqpNearest::CountByHops(std::uint32_t site) {
  std::fill(nodes_at_hops_.begin(), nodes_at_hops_.end(), 0);
  if (const GridTable* grid = problem_.latencies.grid()) {
    CountAlongAxes(site, *grid);
  } else {
    const Topology& topology = problem_.latencies.topology();
    const std::uint32_t place = problem_.sites[site].place;
    for (const BqpSite& other : problem_.sites) {
      const Hops hops = topology.VertexDistance(place, other.place);
      if (hops >= nodes_at_hops_.size()) nodes_at_hops_.resize(hops + 1, 0);
      nodes_at_hops_[hops] += other.count;
    }
  }
  --nodes_at_hops_[0];  // the node itself
}

void BqpNearest::CountAlongAxes(std::uint32_t site, const GridTable& grid) {
  const std::size_t axes = grid.axes.size();
  const std::uint32_t* at =
      &grid.coordinates[problem_.sites[site].place * axes];
  along_.resize(axes);
  Hops farthest = 0;
  for (std::size_t d = 0; d < axes; ++d) {
    along_[d].resize(grid.axes[d].extent);
    for (std::uint32_t x = 0; x < along_[d].size(); ++x) {
      along_[d][x] = grid.axes[d].ShellOf(at[d], x);
    }
    farthest += *std::max_element(along_[d].begin(), along_[d].end());
  }
  nodes_at_hops_.resize(
      std::max<std::size_t>(nodes_at_hops_.size(), farthest + 1), 0);
  for (const BqpSite& other : problem_.sites) {
    const std::uint32_t* to = &grid.coordinates[other.place * axes];
    Hops hops = 0;
    for (std::size_t d = 0; d < axes; ++d) hops += along_[d][to[d]];
    nodes_at_hops_[hops] += other.count;
  }
}

// With measured latencies each place has one node.
void BqpNearest::SumMeasured(std::uint32_t site, NodeCount nearest) {
  const std::span<const float> row =
      problem_.latencies.measured()->RowOf(problem_.sites[site].place);
  measured_.clear();
  for (std::uint32_t s = 0; s < problem_.sites.size(); ++s) {
    if (s != site) measured_.push_back(row[problem_.sites[s].place]);
  }
  std::partial_sort(measured_.begin(), measured_.begin() + nearest,
                    measured_.end());
  for (NodeCount i = 0; i < nearest; ++i) {
    sums_.push_back(sums_.back() + measured_[i]);
  }
}

double BqpNearest::MinSum(NodeCount nearest) const {
  if (const LatencyMatrix* measured = problem_.latencies.measured()) {
    return nearest * measured->shortest();
  }
  std::uint64_t inside = max_at_a_place_ - 1;
  if (nearest <= inside) return 0;
  const GridTable* grid = problem_.latencies.grid();
  if (grid == nullptr) return static_cast<double>(nearest - inside);
  const std::vector<std::uint64_t> balls = BallSizes(grid->axes);
  double sum = 0;
  for (std::size_t hops = 1; hops < balls.size() && inside < nearest; ++hops) {
    const std::uint64_t within =
        std::min<std::uint64_t>(nearest, balls[hops] * max_at_a_place_ - 1);
    sum += static_cast<double>((within - inside) * hops);
    inside = within;
  }
  return sum;
}

}  // namespace coolspan
