// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/exact_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ordering/recent_sites.h"

namespace coolspan {
namespace {

using Site = RankProblem::Site;
using Clock = std::chrono::steady_clock;

// Automorphisms of the problem: permutations of the sites that keep node counts
// and hops. Representatives() returns the first site of each orbit.
class Symmetries {
 public:
  explicit Symmetries(const RankProblem& problem) : problem_(problem) {}

  std::vector<Site> Representatives() {
    std::vector<Site> found;
    for (Site site = 0; site < problem_.sites(); ++site) {
      const bool is_equivalent =
          std::any_of(found.begin(), found.end(), [&](Site other) {
            image_.assign(1, other);
            first_ = site;
            tried_ = 0;
            return Extend();
          });
      if (!is_equivalent) found.push_back(site);
    }
    return found;
  }

 private:
  // The site that image_[place] is the image of: first_, then the others in
  // ascending order.
  Site Original(std::size_t place) const {
    if (place == 0) return first_;
    const auto site = static_cast<Site>(place);
    return site <= first_ ? site - 1 : site;
  }

  bool Fits(std::size_t place, Site image) const {
    const Site site = Original(place);
    if (problem_.NodesAt(site) != problem_.NodesAt(image)) return false;
    for (std::size_t i = 0; i < place; ++i) {
      if (image_[i] == image || problem_.HopsBetween(site, Original(i)) !=
                                    problem_.HopsBetween(image, image_[i])) {
        return false;
      }
    }
    return true;
  }

  // Whether a bounded search can complete the images to an automorphism.
  // Missing one only costs time.
  bool Extend() {
    constexpr std::uint32_t kMaxTried = 20'000;
    if (image_.size() == 1 && !Fits(0, image_[0])) return false;
    const std::size_t place = image_.size();
    if (place == problem_.sites()) return true;
    for (Site image = 0; image < problem_.sites(); ++image) {
      if (++tried_ > kMaxTried) return false;
      if (!Fits(place, image)) continue;
      image_.push_back(image);
      if (Extend()) return true;
      image_.pop_back();
    }
    return false;
  }

  const RankProblem& problem_;
  Site first_ = 0;
  std::uint32_t tried_ = 0;
  std::vector<Site> image_;
};

// One part in kPriceShare of the time is spent on the prices of the relaxed
// problem.
constexpr int kPriceShare = 4;

class Search {
 public:
  Search(const RankProblem& problem, std::vector<Site> order,
         Clock::time_point end);

  SearchResult Run();

 private:
  // State of a partial order: the sites used, and the last few of them.
  struct Visited {
    std::uint64_t used;
    std::uint64_t recent;
    friend bool operator==(const Visited&, const Visited&) = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Visited& visited) {
      return H::combine(std::move(hash), visited.used, visited.recent);
    }
  };
  struct Child {
    ScaledCost bound;  // lower bound on complete orders
    ScaledCost cost;   // of the ranks so far
    Site site;
    RecentSites::Memory memory;
  };

  bool OutOfTime();
  void Place(Rank rank, ScaledCost cost, RecentSites::Memory memory);
  bool IsDominated(Rank rank, ScaledCost cost);
  ScaledCost CostAt(Rank rank, Site site) const;

  const RankProblem& problem_;
  RecentSites recent_;
  const Clock::time_point end_;
  SearchResult result_;
  std::vector<ScaledCost> hops_;
  std::vector<ScaledCost> weight_;     // by difference of ranks
  std::vector<ScaledCost> min_round_;  // lower bound, pairs around the ring
  // Maximum influence of the order of sites before the recent ones.
  ScaledCost slack_ = 0;
  bool distinct_ = true;     // no site has two nodes
  std::vector<Site> first_;  // candidates for rank 0
  std::vector<Site> at_;     // by rank
  std::vector<NodeCount> left_;
  ScaledCost limit_ = 0;  // only orders of lower cost are searched for
  std::uint64_t used_ = 0;
  ScaledCost prices_ = 0;  // sum of prices of the remaining visits
  std::uint32_t until_clock_check_ = 0;
  bool out_of_time_ = false;
  absl::flat_hash_map<Visited, ScaledCost> seen_;
  std::array<std::vector<Child>, kMaxSearched + 1> children_;
};

constexpr Rank kRecent = 10;  // sites in Visited::recent, six bits each

Search::Search(const RankProblem& problem, std::vector<Site> order,
               Clock::time_point end)
    : problem_(problem),
      recent_(problem),
      end_(end),
      first_(problem.ring() ? std::vector<Site>{0}
                            : Symmetries(problem).Representatives()),
      at_(problem.ranks()),
      left_(problem.sites()) {
  result_.cost = problem.CostOf(order);
  result_.order = std::move(order);
  const Rank ranks = problem.ranks();
  ScaledCost widest = 0;
  for (Site a = 0; a < problem.sites(); ++a) {
    left_[a] = problem.NodesAt(a);
    distinct_ = distinct_ && left_[a] == 1;
    for (Site b = 0; b < problem.sites(); ++b) {
      hops_.push_back(problem.HopsBetween(a, b));
      widest = std::max(widest, hops_.back());
    }
  }
  for (Rank k = 0; k < ranks; ++k) weight_.push_back(problem.Weight(0, k));
  for (Rank k = kRecent + 1; k < ranks; ++k) {
    slack_ += weight_[k] * std::min(k - kRecent, ranks - kRecent) * widest;
  }
  // Pairs at least half a ring apart in rank with the later rank >= rank cost
  // at least one hop each.
  min_round_.assign(ranks + 1, 0);
  for (Rank rank = ranks; rank-- > 0;) {
    min_round_[rank] = min_round_[rank + 1];
    for (Rank other = 0; distinct_ && problem.ring() && other < rank; ++other) {
      if (2 * (rank - other) >= ranks) {
        min_round_[rank] += weight_[rank - other];
      }
    }
  }
}

bool Search::OutOfTime() {
  if (until_clock_check_-- == 0) {
    until_clock_check_ = 4096;
    out_of_time_ = out_of_time_ || Clock::now() >= end_;
  }
  return out_of_time_;
}

// Cost of the pairs of this rank with earlier ranks.
ScaledCost Search::CostAt(Rank rank, Site site) const {
  const ScaledCost* const hops = &hops_[std::size_t{site} * left_.size()];
  ScaledCost cost = 0;
  for (Rank other = 0; other < rank; ++other) {
    cost += weight_[rank - other] * hops[at_[other]];
  }
  return cost;
}

// Whether the same set of sites with the same recent sites was reached before
// at a cost lower by at least slack_.
bool Search::IsDominated(Rank rank, ScaledCost cost) {
  constexpr std::size_t kMaxSeen = std::size_t{1} << 21;
  if (!distinct_ || problem_.ring() || rank <= kRecent + 1) return false;
  Visited visited{used_, 0};
  for (Rank k = 1; k <= kRecent; ++k) {
    visited.recent = visited.recent << 6U | at_[rank - k];
  }
  if (seen_.size() >= kMaxSeen) seen_.clear();
  const auto [entry, is_new] = seen_.try_emplace(visited, cost);
  if (is_new) return false;
  if (entry->second + slack_ <= cost) return true;
  entry->second = std::min(entry->second, cost);
  return false;
}

void Search::Place(Rank rank, ScaledCost cost, RecentSites::Memory memory) {
  const Rank ranks = problem_.ranks();
  if (rank == ranks) {
    result_.cost = cost;
    result_.order = at_;
    limit_ = std::min(limit_, cost);
    return;
  }
  if (IsDominated(rank, cost)) return;
  std::vector<Child>& children = children_[rank];
  children.clear();
  const auto consider = [&](Site site) {
    if (left_[site] == 0) return;
    const RecentSites::Memory next = recent_.Next(memory, site);
    if (next == RecentSites::kImpossible) return;
    const ScaledCost so_far = cost + CostAt(rank, site);
    const ScaledCost bound = so_far + recent_.MinCost(next, ranks - rank - 1) -
                             (prices_ - recent_.Price(site)) +
                             min_round_[rank + 1];
    if (bound < limit_) children.push_back({bound, so_far, site, next});
  };
  if (rank == 0) {
    for (const Site site : first_) consider(site);
  } else {
    for (Site site = 0; site < problem_.sites(); ++site) consider(site);
  }
  std::sort(children.begin(), children.end(),
            [](const Child& a, const Child& b) {
              return std::pair(a.bound, a.site) < std::pair(b.bound, b.site);
            });
  for (const Child& child : children) {
    if (OutOfTime()) return;
    if (child.bound >= limit_) return;
    at_[rank] = child.site;
    --left_[child.site];
    prices_ -= recent_.Price(child.site);
    used_ ^= std::uint64_t{1} << child.site;
    Place(rank + 1, child.cost, child.memory);
    used_ ^= std::uint64_t{1} << child.site;
    prices_ += recent_.Price(child.site);
    ++left_[child.site];
  }
}

SearchResult Search::Run() {
  const std::optional<Site> first =
      first_.size() == 1 ? std::optional<Site>(first_[0]) : std::nullopt;
  result_.bound = LocalityBound(problem_);
  if (result_.bound < result_.cost) {
    const auto now = Clock::now();
    recent_.RaisePrices(first, result_.cost - min_round_[0],
                        now + (end_ - now) / kPriceShare);
    result_.bound =
        std::max(result_.bound, recent_.Bound(first) + min_round_[0]);
  }
  for (Site site = 0; site < problem_.sites(); ++site) {
    prices_ += recent_.Price(site) * problem_.NodesAt(site);
  }
  // Each round takes several times as long as the one before, so rounds that
  // find nothing cost little.
  constexpr ScaledCost kRounds = 6;
  const ScaledCost known = result_.bound;
  for (ScaledCost round = 1;
       round <= kRounds && result_.bound < result_.cost && !out_of_time_;
       ++round) {
    limit_ = known + (result_.cost - known) * round / kRounds;
    if (limit_ <= result_.bound) continue;
    seen_.clear();
    Place(0, 0, RecentSites::kNone);
    if (!out_of_time_) result_.bound = std::max(result_.bound, limit_);
  }
  result_.bound = std::min(result_.bound, result_.cost);
  return result_;
}

}  // namespace

SearchResult SearchBestOrder(const RankProblem& problem,
                             std::vector<RankProblem::Site> order,
                             std::chrono::steady_clock::time_point end) {
  return Search(problem, std::move(order), end).Run();
}

}  // namespace coolspan
