// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "ordering/rank_problem.h"

namespace coolspan {
namespace {

using Site = RankProblem::Site;

constexpr Site kMaxSites = 2048;
// Maximum ranks times hops for which sums fit into 64 bits.
constexpr ScaledCost kMaxRankHops = ScaledCost{1} << 30;

// Weights of pairs of ranks, summed.
class PairWeights {
 public:
  explicit PairWeights(const RankProblem& problem)
      : ring_(problem.ring()), ranks_(problem.ranks()) {
    for (Rank k = 1; k < ranks_; ++k) {
      const ScaledCost weight = problem.Weight(0, k);
      if (weight > 0) by_partner_.push_back(weight);
      if (weight > 0 && !ring_) by_partner_.push_back(weight);
    }
    std::sort(by_partner_.begin(), by_partner_.end(), std::greater<>());
    std::partial_sum(by_partner_.begin(), by_partner_.end(),
                     by_partner_.begin());
  }

  // Sum over all pairs of `length` consecutive ranks.
  ScaledCost OfRun(Rank length) const {
    ScaledCost sum = 0;
    for (Rank k = 1; k <= kLocalityReach && k < length; ++k) {
      if (ring_ && 2 * k > ranks_) break;
      ScaledCost pairs = length - k;
      // On a ring the ends of a long run are close the other way around.
      if (ring_ && 2 * k < ranks_ && length > ranks_ - k) {
        pairs += length - (ranks_ - k);
      }
      sum += pairs << (kLocalityReach - k);
    }
    return sum;
  }
  ScaledCost OfAll() const { return OfRun(ranks_); }

  // Maximum weight of the pairs of one rank with so many others.
  ScaledCost OfPartners(std::uint64_t others) const {
    if (others == 0 || by_partner_.empty()) return 0;
    return by_partner_[std::min<std::size_t>(others, by_partner_.size()) - 1];
  }

 private:
  const bool ring_;
  const Rank ranks_;
  std::vector<ScaledCost> by_partner_;  // running sum, heaviest first
};

class Clusters {
 public:
  explicit Clusters(const RankProblem& problem)
      : problem_(problem), parent_(problem.sites()) {
    std::iota(parent_.begin(), parent_.end(), Site{0});
  }

  void Join(Site a, Site b) { parent_[Find(a)] = Find(b); }

  ScaledCost MaxWeight(const PairWeights& weights) {
    std::vector<Rank> size(parent_.size(), 0);
    for (Site site = 0; site < parent_.size(); ++site) {
      size[Find(site)] += problem_.NodesAt(site);
    }
    ScaledCost sum = 0;
    for (const Rank nodes : size) sum += weights.OfRun(nodes);
    return sum;
  }

 private:
  Site Find(Site site) {
    while (parent_[site] != site) {
      parent_[site] = parent_[parent_[site]];
      site = parent_[site];
    }
    return site;
  }

  const RankProblem& problem_;
  std::vector<Site> parent_;
};

// Upper bound on the total weight of pairs with a distance below `hops`.
// clusters: vertices joined by steps of less than `hops`; updated.
ScaledCost MaxNearWeight(const RankProblem& problem, const PairWeights& weights,
                         ScaledCost hops, Clusters& clusters) {
  ScaledCost from_both_ends = 0;
  for (Site a = 0; a < problem.sites(); ++a) {
    std::uint64_t others = problem.NodesAt(a) - 1;
    for (Site b = 0; b < problem.sites(); ++b) {
      if (a == b || problem.HopsBetween(a, b) >= hops) continue;
      others += problem.NodesAt(b);
      clusters.Join(a, b);
    }
    from_both_ends += weights.OfPartners(others) * problem.NodesAt(a);
  }
  return std::min(from_both_ends / 2, clusters.MaxWeight(weights));
}

}  // namespace

ScaledCost LocalityBound(const RankProblem& problem) {
  const PairWeights weights(problem);
  Clusters clusters(problem);
  if (problem.sites() > kMaxSites) {
    return weights.OfAll() - clusters.MaxWeight(weights);
  }
  std::set<ScaledCost> distances;
  for (Site a = 0; a < problem.sites(); ++a) {
    for (Site b = 0; b < a; ++b) distances.insert(problem.HopsBetween(a, b));
  }
  if (distances.empty()) return 0;
  if (*distances.rbegin() > kMaxRankHops / problem.ranks()) {
    distances = {*distances.begin()};
  }
  // The terms t are equal between two consecutive distances that occur.
  ScaledCost bound = 0;
  ScaledCost below = 0;
  for (const ScaledCost hops : distances) {
    bound += (hops - below) * (weights.OfAll() -
                               MaxNearWeight(problem, weights, hops, clusters));
    below = hops;
  }
  return bound;
}

}  // namespace coolspan
