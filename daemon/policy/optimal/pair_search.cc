// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/pair_search.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

using Place = std::uint32_t;

class PairSearch {
 public:
  PairSearch(const Topology& topology, const VertexPool& pool, NodeCount nodes,
             VertexSet start, Budget& budget);
  Proof Run();

 private:
  // A vertex that can give more nodes.
  struct Open {
    Place place;
    NodeCount left;
    std::uint64_t to_taken;  // sum of distances to the nodes taken
    std::uint64_t to_open;   // sum to the nearest open nodes
    std::uint64_t key() const { return 2 * to_taken + to_open; }
  };
  struct State {
    NodeCount nodes_left;
    std::uint64_t total;  // of the nodes taken
    std::vector<Open> open;
  };

  std::uint32_t Distance(Place a, Place b) const {
    return distances_[a * size_ + b];
  }
  bool Equivalent(Place a, Place b) const;
  void FindClasses();
  State Root() const;
  // Searches a state. Returns false if the budget ended it; *bound is then a
  // lower bound of the unexplored part.
  bool Search(State state, std::uint64_t* bound);
  void SumOpenDistances(State& state) const;
  std::uint64_t Bound(const State& state);
  void DropDominated(State& state, std::uint64_t bound);
  State WithNode(const State& state, Place place) const;
  void LeaveOut(State& state, Place place) const;
  void Keep(const State& state);

  const VertexPool& pool_;
  NodeCount nodes_;
  std::size_t size_;
  Budget& budget_;
  std::vector<std::uint32_t> distances_;
  std::vector<Place> class_of_;  // the first equivalent vertex
  std::vector<NodeCount> taken_;
  std::vector<std::uint64_t> keys_;  // lowest keys, of the last Bound
  Proof proof_;
};

PairSearch::PairSearch(const Topology& topology, const VertexPool& pool,
                       NodeCount nodes, VertexSet start, Budget& budget)
    : pool_(pool),
      nodes_(nodes),
      size_(pool.size()),
      budget_(budget),
      distances_(size_ * size_, 0),
      class_of_(size_),
      taken_(pool.required) {
  for (Place a = 0; a < size_; ++a) {
    for (Place b = 0; b < a; ++b) {
      distances_[a * size_ + b] = distances_[b * size_ + a] =
          topology.VertexDistance(pool.vertices[a], pool.vertices[b]);
    }
  }
  proof_.best = std::move(start);
  FindClasses();
}

bool PairSearch::Equivalent(Place a, Place b) const {
  if (pool_.required[a] > 0 || pool_.required[b] > 0) return false;
  for (Place c = 0; c < size_; ++c) {
    if (c != a && c != b && Distance(a, c) != Distance(b, c)) return false;
  }
  return true;
}

void PairSearch::FindClasses() {
  std::vector<Place> representatives;
  for (Place place = 0; place < size_; ++place) {
    class_of_[place] = place;
    for (const Place representative : representatives) {
      if (!Equivalent(representative, place)) continue;
      class_of_[place] = representative;
      break;
    }
    if (class_of_[place] == place) representatives.push_back(place);
  }
}

PairSearch::State PairSearch::Root() const {
  State state{nodes_, 0, {}};
  for (Place a = 0; a < size_; ++a) {
    state.nodes_left -= pool_.required[a];
    Open open{a, pool_.free[a] - pool_.required[a], 0, 0};
    for (Place b = 0; b < size_; ++b) {
      open.to_taken += std::uint64_t{pool_.required[b]} * Distance(a, b);
    }
    state.total += pool_.required[a] * open.to_taken;
    if (open.left > 0) state.open.push_back(open);
  }
  state.total /= 2;
  return state;
}

Proof PairSearch::Run() {
  std::uint64_t bound = 0;
  const bool complete = Search(Root(), &bound);
  proof_.lower_bound =
      complete ? proof_.best.total : std::min(bound, proof_.best.total);
  return std::move(proof_);
}

bool PairSearch::Search(State state, std::uint64_t* bound) {
  ++proof_.subproblems;
  if (state.nodes_left == 0) {
    if (state.total < proof_.best.total) Keep(state);
    return true;
  }
  std::size_t summed_size = 0;
  while (true) {
    // Sums computed with more open vertices remain lower bounds.
    if (summed_size == 0 || state.open.size() < summed_size - summed_size / 8) {
      if (!budget_.Spend(state.open.size() * state.open.size())) return false;
      SumOpenDistances(state);
      summed_size = state.open.size();
    }
    if (!budget_.Spend(state.open.size())) return false;
    const std::uint64_t bound_now = Bound(state);
    *bound = std::max(*bound, bound_now);
    if (*bound >= proof_.best.total) return true;
    DropDominated(state, bound_now);
    const auto cheapest = std::min_element(
        state.open.begin(), state.open.end(),
        [](const Open& a, const Open& b) { return a.key() < b.key(); });
    const Place place = cheapest->place;
    ++taken_[place];
    std::uint64_t inner_bound = *bound;
    const bool complete = Search(WithNode(state, place), &inner_bound);
    --taken_[place];
    if (!complete) return false;
    LeaveOut(state, place);
  }
}

void PairSearch::SumOpenDistances(State& state) const {
  std::vector<std::pair<std::uint32_t, NodeCount>> near(state.open.size());
  const auto others = state.nodes_left - 1;
  for (Open& open : state.open) {
    for (std::size_t i = 0; i < near.size(); ++i) {
      const Open& other = state.open[i];
      near[i] = {Distance(open.place, other.place),
                 other.left - (other.place == open.place ? 1 : 0)};
    }
    const auto end =
        near.begin() + std::min<std::ptrdiff_t>(others + 1, std::ssize(near));
    if (end != near.end()) {
      std::nth_element(near.begin(), end, near.end());
    }
    std::sort(near.begin(), end);
    NodeCount left = others;
    open.to_open = 0;
    for (auto at = near.begin(); at != end && left > 0; ++at) {
      const NodeCount nodes = std::min(left, at->second);
      open.to_open += std::uint64_t{nodes} * at->first;
      left -= nodes;
    }
  }
}

std::uint64_t PairSearch::Bound(const State& state) {
  keys_.clear();
  std::uint64_t open_nodes = 0;
  for (const Open& open : state.open) {
    const NodeCount nodes = std::min(open.left, state.nodes_left);
    open_nodes += nodes;
    keys_.insert(keys_.end(), nodes, open.key());
  }
  if (open_nodes < state.nodes_left) return ~std::uint64_t{0};
  const auto end = keys_.begin() + state.nodes_left;
  std::nth_element(keys_.begin(), end - 1, keys_.end());
  keys_.erase(end, keys_.end());
  std::uint64_t doubled = 0;
  for (const std::uint64_t key : keys_) doubled += key;
  return state.total + (doubled + 1) / 2;
}

// Drops vertices that cannot improve on the best total: replacing the highest
// key of the bound by theirs raises the bound to it.
void PairSearch::DropDominated(State& state, std::uint64_t bound) {
  const std::uint64_t slack = 2 * (proof_.best.total - bound);
  const std::uint64_t max_key = keys_.back();
  std::erase_if(state.open, [&](const Open& open) {
    return open.key() >= max_key + slack;
  });
}

PairSearch::State PairSearch::WithNode(const State& state, Place place) const {
  State with{state.nodes_left - 1, state.total, {}};
  with.open.reserve(state.open.size());
  for (Open open : state.open) {
    if (open.place == place) {
      with.total += open.to_taken;
      if (--open.left == 0) continue;
    }
    open.to_taken += Distance(open.place, place);
    with.open.push_back(open);
  }
  return with;
}

// Leaves out a vertex. If nothing is taken from it, equivalent vertices with no
// more free nodes are left out too: it can replace them.
void PairSearch::LeaveOut(State& state, Place place) const {
  std::erase_if(state.open, [&](const Open& open) {
    if (open.place == place) return true;
    return taken_[place] == 0 && taken_[open.place] == 0 &&
           class_of_[open.place] == class_of_[place] &&
           pool_.free[open.place] <= pool_.free[place];
  });
}

void PairSearch::Keep(const State& state) {
  proof_.best = {taken_, state.total};
}

}  // namespace

Proof SearchPairs(const Topology& topology, const VertexPool& pool,
                  NodeCount nodes, VertexSet start, Budget& budget) {
  if (start.total == 0 || pool.size() > kMaxPairVertices ||
      nodes > kMaxPairNodes || !budget.Spend(pool.size() * pool.size())) {
    return {std::move(start), 0, 0};
  }
  return PairSearch(topology, pool, nodes, std::move(start), budget).Run();
}

}  // namespace coolspan
