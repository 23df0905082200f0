// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/compact_set.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "locality/sums_along.h"

namespace coolspan {
namespace {

// The first 32 of the offered places in sorted order: the candidates of a tabu
// move. Keeps twice as many at most, so nearly all offers cost one comparison.
template <typename Before>
class FirstPlaces {
 public:
  explicit FirstPlaces(const Before& before) : before_(before) {
    places_.reserve(2 * kPlaces);
  }

  void Offer(std::uint32_t place) {
    if (limited_ && !before_(place, places_[kPlaces - 1])) return;
    places_.push_back(place);
    if (places_.size() == 2 * kPlaces) Limit();
  }
  std::vector<std::uint32_t> Take() {
    if (places_.size() > kPlaces) Limit();
    std::sort(places_.begin(), places_.end(), before_);
    return std::move(places_);
  }

 private:
  static constexpr std::size_t kPlaces = 32;

  // Afterwards the place at kPlaces - 1 is the last of those kept.
  void Limit() {
    std::nth_element(places_.begin(), places_.begin() + kPlaces - 1,
                     places_.end(), before_);
    places_.resize(kPlaces);
    limited_ = true;
  }

  const Before& before_;
  std::vector<std::uint32_t> places_;
  bool limited_ = false;
};

}  // namespace

void VertexPool::Add(VertexId vertex, NodeCount free_nodes,
                     NodeCount required_nodes) {
  vertices.push_back(vertex);
  free.push_back(free_nodes);
  required.push_back(required_nodes);
}

CompactSet::CompactSet(const Topology& topology, const VertexPool& pool,
                       NodeCount nodes)
    : topology_(topology), pool_(pool), nodes_(nodes), sums_(pool.size()) {
  if (const Grid* grid = topology.grid()) {
    const std::size_t dimensions = grid->dims.size();
    coordinates_.resize(pool.size() * dimensions);
    for (std::size_t i = 0; i < pool.size(); ++i) {
      grid->CoordinatesOf(pool.vertices[i],
                          {&coordinates_[i * dimensions], dimensions});
    }
    for (std::size_t d = 0; d < dimensions; ++d) {
      max_hops_ += grid->wrap[d] ? grid->dims[d] / 2 : grid->dims[d] - 1;
    }
    return;
  }
  for (std::size_t i = 0; i < pool.size(); ++i) {
    max_hops_ = std::max(max_hops_, std::uint64_t{2} * Distance(0, i));
  }
}

void CompactSet::TakeAround(std::span<const std::size_t> centres) {
  std::vector<NodeCount> to(pool_.size(), 0);
  for (const std::size_t centre : centres) ++to[centre];
  SumDistances(to);
  Take(LeastSums());
}

void CompactSet::TakeInside(std::span<const std::size_t> places) {
  std::vector<NodeCount> inside(pool_.size(), 0);
  for (const std::size_t place : places) inside[place] = 1;
  SumDistances(inside);
  const std::uint64_t past_all =
      1 + *std::max_element(sums_.begin(), sums_.end());
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    if (inside[i] == 0) sums_[i] += past_all;
  }
  Take(LeastSums());
}

void CompactSet::Take(std::vector<NodeCount> taken) {
  taken_ = std::move(taken);
  SumDistances(taken_);
  total_ = 0;
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    total_ += taken_[i] * sums_[i];
  }
  total_ /= 2;
}

bool CompactSet::TooLarge() const {
  // About a tenth of a second.
  constexpr std::uint64_t kMaxWork = 20'000'000;
  return TakeWork() > kMaxWork;
}

void CompactSet::TakeNearest(std::size_t centre) {
  std::vector<NodeCount> to(pool_.size(), 0);
  to[centre] = 1;
  SumDistances(to);
  taken_ = LeastSums();
  std::vector<NodeId> nodes;
  nodes.reserve(nodes_);
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    const NodeId first = topology_.NodesAt(pool_.vertices[i]).first;
    for (NodeId node = 0; node < taken_[i]; ++node) {
      nodes.push_back(first + node);
    }
  }
  total_ = topology_.PairwiseTotal(nodes);
}

void CompactSet::Settle(Budget& budget) {
  do {
    if (!budget.Spend(TakeWork())) return;
  } while (SettleOnce());
}

std::uint64_t CompactSet::TakeWork() const {
  const std::uint64_t sums_for =
      topology_.grid() != nullptr ? 1
                                  : std::min<std::size_t>(nodes_, pool_.size());
  return (2 + sums_for) * pool_.size();
}

bool CompactSet::SettleOnce() {
  const std::vector<NodeCount> before = taken_;
  const std::uint64_t total_before = total_;
  std::vector<NodeCount> least = LeastSums();
  if (least == before) return false;
  Take(std::move(least));
  if (total_ < total_before) return true;
  Take(before);
  return false;
}

void CompactSet::Improve(Budget& budget) {
  Settle(budget);
  while (ExchangeBest(budget)) {
  }
}

void CompactSet::SumDistances(const std::vector<NodeCount>& to) {
  if (const Grid* grid = topology_.grid()) {
    SumOnGrid(to, *grid);
    return;
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    if (to[i] == 0) continue;
    for (std::size_t j = 0; j < pool_.size(); ++j) {
      sums_[j] += std::uint64_t{to[i]} * Distance(i, j);
    }
  }
}

void CompactSet::SumOnGrid(const std::vector<NodeCount>& to, const Grid& grid) {
  const std::size_t dimensions = grid.dims.size();
  std::fill(sums_.begin(), sums_.end(), 0);
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (grid.dims[d] == 1) continue;
    std::vector<NodeCount> nodes_at(grid.dims[d], 0);
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      nodes_at[coordinates_[i * dimensions + d]] += to[i];
    }
    const std::vector<std::uint64_t> along = SumsAlong(nodes_at, grid.wrap[d]);
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      sums_[i] += along[coordinates_[i * dimensions + d]];
    }
  }
}

std::vector<NodeCount> CompactSet::LeastSums() const {
  std::vector<NodeCount> taken = pool_.required;
  const auto offered = [this](std::uint32_t place) {
    return pool_.free[place] - pool_.required[place];
  };
  std::vector<std::uint32_t> places;
  places.reserve(pool_.size());
  NodeCount left = nodes_;
  for (std::uint32_t i = 0; i < pool_.size(); ++i) {
    left -= taken[i];
    if (offered(i) > 0) places.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (sums_[a] != sums_[b]) return sums_[a] < sums_[b];
    return offered(a) != offered(b) ? offered(a) > offered(b) : a < b;
  };
  // Every place offers at least one node, so the first `left` places are
  // enough; if each offers exactly one, their order does not matter.
  auto end = places.end();
  if (left < places.size()) {
    end = places.begin() + std::ptrdiff_t{left};
    std::nth_element(places.begin(), end, places.end(), before);
  }
  const bool one_each =
      std::all_of(places.begin(), end,
                  [&](std::uint32_t place) { return offered(place) == 1; });
  if (!one_each) std::sort(places.begin(), end, before);
  for (auto place = places.begin(); left > 0; ++place) {
    const NodeCount more = std::min(left, offered(*place));
    taken[*place] += more;
    left -= more;
  }
  return taken;
}

// Moving t nodes from `out` to `in` changes the total by
//   t * (sums[in] - sums[out]) - t^2 * distance(in, out).
// The change per node falls with t, so as many as possible are moved.
void CompactSet::TryMove(std::uint32_t out, std::uint32_t in,
                         Move& best) const {
  if (in == out) return;
  const std::int64_t nodes = std::min(CanGive(out), CanTake(in));
  const std::int64_t apart = nodes * (static_cast<std::int64_t>(sums_[in]) -
                                      static_cast<std::int64_t>(sums_[out]));
  const auto max_hops = static_cast<std::int64_t>(max_hops_);
  if (apart - nodes * nodes * max_hops >= best.change) return;
  const std::int64_t change =
      apart - nodes * nodes * std::int64_t{Distance(in, out)};
  if (change < best.change) {
    best = {out, in, static_cast<NodeCount>(nodes), change};
  }
}

bool CompactSet::ExchangeBest(Budget& budget) {
  if (!budget.Spend(2 * pool_.size())) return false;
  std::uint64_t max_out = 0;
  std::uint64_t min_in = ~std::uint64_t{0};
  NodeCount max_moved = 0;
  for (std::uint32_t i = 0; i < pool_.size(); ++i) {
    max_moved = std::max(max_moved, CanGive(i));
    if (CanGive(i) > 0) max_out = std::max(max_out, sums_[i]);
    if (CanTake(i) > 0) min_in = std::min(min_in, sums_[i]);
  }
  // Upper bound on t * distance(in, out), so a move gains only if
  // sums[in] < sums[out] + reach.
  const std::uint64_t reach = max_moved * max_hops_;
  std::vector<std::uint32_t> outs;
  std::vector<std::uint32_t> ins;
  for (std::uint32_t i = 0; i < pool_.size(); ++i) {
    if (CanGive(i) > 0 && sums_[i] + reach > min_in) outs.push_back(i);
    if (CanTake(i) > 0 && sums_[i] < max_out + reach) ins.push_back(i);
  }
  std::stable_sort(ins.begin(), ins.end(),
                   [this](auto a, auto b) { return sums_[a] < sums_[b]; });
  Move best;
  for (const std::uint32_t out : outs) {
    std::uint64_t looked_at = 1;
    for (const std::uint32_t in : ins) {
      if (sums_[in] >= sums_[out] + reach) break;
      ++looked_at;
      TryMove(out, in, best);
    }
    if (!budget.Spend(looked_at)) return false;
  }
  if (best.change == 0) return false;
  Apply(best);
  return true;
}

void CompactSet::Wander(int moves, Budget& budget) {
  constexpr std::size_t kBarredFor = 6;  // places: three moves
  std::vector<NodeCount> best = taken_;
  std::uint64_t best_total = total_;
  std::vector<bool> barred(pool_.size(), false);
  std::deque<std::uint32_t> recent;
  for (int i = 0; i < moves; ++i) {
    if (!budget.Spend(4 * pool_.size())) break;
    Move move;
    move.change = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::uint32_t> ins = Nearest(barred);
    for (const std::uint32_t out : Outermost(barred)) {
      for (const std::uint32_t in : ins) TryMove(out, in, move);
    }
    if (move.nodes == 0) break;
    Apply(move);
    if (total_ < best_total) {
      best = taken_;
      best_total = total_;
    }
    for (const std::uint32_t place : {move.out, move.in}) {
      barred[place] = true;
      recent.push_back(place);
    }
    for (; recent.size() > kBarredFor; recent.pop_front()) {
      barred[recent.front()] = false;
    }
  }
  Take(std::move(best));
}

std::vector<std::uint32_t> CompactSet::Outermost(
    const std::vector<bool>& barred) const {
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return sums_[a] != sums_[b] ? sums_[a] > sums_[b] : a < b;
  };
  FirstPlaces places(before);
  for (std::uint32_t i = 0; i < pool_.size(); ++i) {
    if (CanGive(i) > 0 && !barred[i]) places.Offer(i);
  }
  return places.Take();
}

std::vector<std::uint32_t> CompactSet::Nearest(
    const std::vector<bool>& barred) const {
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return sums_[a] != sums_[b] ? sums_[a] < sums_[b] : a < b;
  };
  FirstPlaces places(before);
  for (std::uint32_t i = 0; i < pool_.size(); ++i) {
    if (CanTake(i) > 0 && !barred[i]) places.Offer(i);
  }
  return places.Take();
}

// A distance on a grid is a sum over the axes, so the change of the sums of a
// place is looked up by its coordinates.
void CompactSet::AddAlongAxes(const Move& move, const Grid& grid) {
  const std::size_t dimensions = grid.dims.size();
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::uint32_t extent = grid.dims[d];
    const auto hops = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t straight = std::max(a, b) - std::min(a, b);
      return grid.wrap[d] ? std::min(straight, extent - straight) : straight;
    };
    const std::uint32_t in = coordinates_[move.in * dimensions + d];
    const std::uint32_t out = coordinates_[move.out * dimensions + d];
    if (in == out) continue;
    change_along_.clear();
    for (std::uint32_t x = 0; x < extent; ++x) {
      change_along_.push_back(std::uint64_t{move.nodes} *
                              (std::uint64_t{hops(x, in)} - hops(x, out)));
    }
    const std::uint32_t* at = &coordinates_[d];
    for (std::uint64_t& sum : sums_) {
      sum += change_along_[*at];
      at += dimensions;
    }
  }
}

void CompactSet::Apply(const Move& move) {
  taken_[move.out] -= move.nodes;
  taken_[move.in] += move.nodes;
  if (const Grid* grid = topology_.grid()) {
    AddAlongAxes(move, *grid);
  } else {
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      sums_[i] += std::uint64_t{move.nodes} * Distance(i, move.in);
      sums_[i] -= std::uint64_t{move.nodes} * Distance(i, move.out);
    }
  }
  total_ += static_cast<std::uint64_t>(move.change);
}

}  // namespace coolspan
