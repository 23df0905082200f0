// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/local_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <random>
#include <utility>

#include "ordering/ordering_cost.h"
#include "ordering/rank_change.h"
#include "ordering/vertex_hops.h"

namespace coolspan {
namespace {

using Place = RankPlace;

// Cost in units of 2^-32 hops, the smallest weight, so that sums are exact.
using Cost = std::int64_t;

constexpr Place kReach = kLocalityReach;
constexpr std::size_t kMaxNeighbours = 8;
constexpr std::size_t kLongestRun = 3;  // vertices moved at once
// Maximum places of one change, which keeps changes of large orderings cheap.
constexpr Place kMaxTouched = 20'000;
constexpr std::size_t kMaxShaken = 4096;

class LocalSearch {
 public:
  LocalSearch(const Topology& topology, std::vector<VertexId> vertices,
              const LocalSearchOptions& options);

  std::vector<VertexId> Run();

 private:
  void FindNeighbours(const Topology& topology);

  VertexId At(Place place) const {
    if (place < 0) {
      place += size_;
    } else if (place >= size_) {
      place -= size_;
    }
    return at_[static_cast<std::size_t>(place)];
  }
  // All places of a vertex.
  RankStretch Of(VertexId vertex) const {
    const Place begin = begin_[vertex];
    return {begin, begin + width_[vertex]};
  }
  bool Before(Place place, RankStretch& run) const {
    if (place == 0) return false;
    run = Of(At(place - 1));
    return true;
  }
  bool After(Place place, RankStretch& run) const {
    if (place == size_) return false;
    run = Of(At(place));
    return true;
  }

  Cost Delta(const RankChange& change, Place reach);
  template <typename Vertex>
  Cost AcrossCuts(std::span<const Place> cuts, Place reach, Vertex at) const;
  bool TryChange(const RankChange& change);
  void Apply(const RankChange& change);
  void Touch(Place place);

  void Settle();
  bool Improve(VertexId vertex);
  bool BringTogether(VertexId vertex, VertexId other);
  bool MoveBeside(const RankStretch& run, const RankStretch& other);
  void Shake();
  bool Disturb(std::mt19937_64& random);

  const VertexHops hops_;
  const bool ring_;
  const Place size_;
  Place reach_;         // rank differences that count
  Place glance_reach_;  // shorter reach to reject most changes quickly
  std::array<Cost, kReach + 1> weight_{};
  std::vector<VertexId> at_;
  std::vector<Place> begin_;                  // by vertex
  std::vector<Place> width_;                  // by vertex: its nodes
  std::vector<std::size_t> first_neighbour_;  // by vertex, into neighbours_
  std::vector<VertexId> neighbours_;

  std::deque<VertexId> open_;  // vertices with changes around them
  std::vector<bool> is_open_;
  std::uint64_t work_left_;
  Cost gained_ = 0;  // since the last shaking
  std::vector<VertexId> scratch_;
  struct Undo {
    Place first;
    std::vector<VertexId> vertices;
  };
  bool recording_ = false;
  std::vector<Undo> undo_;
};

LocalSearch::LocalSearch(const Topology& topology,
                         std::vector<VertexId> vertices,
                         const LocalSearchOptions& options)
    : hops_(topology),
      ring_(options.ring),
      size_(static_cast<Place>(vertices.size())),
      reach_(std::min(kReach, ring_ ? size_ / 2 : size_)),
      glance_reach_(std::min<Place>(reach_, size_ <= 512 ? 10 : 3)),
      at_(std::move(vertices)),
      begin_(topology.vertex_count(), 0),
      width_(topology.vertex_count(), 0),
      is_open_(topology.vertex_count(), false),
      work_left_(options.distances) {
  for (Place k = 1; k <= reach_; ++k) {
    weight_[static_cast<std::size_t>(k)] = Cost{1} << (kReach - k);
  }
  // A pair at half the ring is counted from both ends.
  if (ring_ && 2 * reach_ == size_) {
    weight_[static_cast<std::size_t>(reach_)] /= 2;
  }
  for (Place place = size_; place-- > 0;) {
    begin_[At(place)] = place;
    ++width_[At(place)];
  }
  FindNeighbours(topology);
}

void LocalSearch::FindNeighbours(const Topology& topology) {
  std::vector<VertexId> beside;
  first_neighbour_.reserve(width_.size() + 1);
  for (VertexId vertex = 0; vertex < width_.size(); ++vertex) {
    first_neighbour_.push_back(neighbours_.size());
    if (width_[vertex] == 0) continue;
    beside.clear();
    topology.AppendNeighbours(vertex, beside);
    std::size_t taken = 0;
    for (const VertexId other : beside) {
      if (width_[other] == 0 || taken == kMaxNeighbours) continue;
      neighbours_.push_back(other);
      ++taken;
    }
  }
  first_neighbour_.push_back(neighbours_.size());
}

// The cost of pairs separated by the cuts. Consecutive cuts bound a run; a pair
// is counted at the end of the run of its lower place.
template <typename Vertex>
Cost LocalSearch::AcrossCuts(std::span<const Place> cuts, Place reach,
                             Vertex at) const {
  Cost cost = 0;
  for (std::size_t t = 0; t < cuts.size(); ++t) {
    const Place cut = cuts[t];
    const Place run_begin =
        t > 0 ? cuts[t - 1] : (ring_ ? cuts.back() - size_ : 0);
    const Place lowest = std::max(run_begin, cut - reach);
    for (Place i = cut - 1; i >= lowest; --i) {
      const VertexId here = at(i);
      const Place highest = ring_ ? i + reach : std::min(i + reach, size_ - 1);
      for (Place j = cut; j <= highest; ++j) {
        cost += weight_[static_cast<std::size_t>(j - i)] *
                static_cast<Cost>(hops_(here, at(j)));
      }
    }
  }
  return cost;
}

Cost LocalSearch::Delta(const RankChange& change, Place reach) {
  std::array<Place, 4> old_cuts;
  old_cuts.fill(std::numeric_limits<Place>::max());
  std::array<Place, 4> new_cuts;
  const std::size_t count = change.count + 1;
  new_cuts[0] = change.first;
  for (std::size_t i = 0; i < change.count; ++i) {
    old_cuts[i] = change.runs[i].begin;
    new_cuts[i + 1] = new_cuts[i] + change.runs[i].length();
  }
  old_cuts[change.count] = change.last;
  std::sort(old_cuts.begin(), old_cuts.end());
  const auto pairs = static_cast<std::uint64_t>(reach * (reach + 1));
  work_left_ -= std::min(work_left_, pairs * count);
  const Cost before = AcrossCuts({old_cuts.data(), count}, reach,
                                 [this](Place place) { return At(place); });
  const Cost after =
      AcrossCuts({new_cuts.data(), count}, reach, [&](Place place) {
        if (place >= change.first + size_) place -= size_;
        const bool moved = place >= change.first && place < change.last;
        return At(moved ? change.From(place) : place);
      });
  return after - before;
}

bool LocalSearch::TryChange(const RankChange& change) {
  if (change.last - change.first > kMaxTouched) return false;
  if (Delta(change, glance_reach_) >= 0) return false;
  const Cost delta = Delta(change, reach_);
  if (delta >= 0) return false;
  gained_ -= delta;
  Apply(change);
  return true;
}

void LocalSearch::Touch(Place place) {
  constexpr Place kAround = 3;
  for (Place p = place - kAround; p < place + kAround; ++p) {
    if (!ring_ && (p < 0 || p >= size_)) continue;
    if (p < -size_ || p >= 2 * size_) continue;
    const VertexId vertex = At(p);
    if (is_open_[vertex]) continue;
    is_open_[vertex] = true;
    open_.push_back(vertex);
  }
}

void LocalSearch::Apply(const RankChange& change) {
  const auto first = at_.begin() + change.first;
  const auto last = at_.begin() + change.last;
  if (recording_) undo_.push_back({change.first, {first, last}});
  scratch_.clear();
  for (std::size_t i = 0; i < change.count; ++i) {
    const RankStretch& run = change.runs[i];
    const auto begin = at_.begin() + run.begin;
    const auto end = at_.begin() + run.end;
    if (run.backwards) {
      scratch_.insert(scratch_.end(), std::make_reverse_iterator(end),
                      std::make_reverse_iterator(begin));
    } else {
      scratch_.insert(scratch_.end(), begin, end);
    }
  }
  std::copy(scratch_.begin(), scratch_.end(), first);
  for (Place p = change.last; p-- > change.first;) begin_[At(p)] = p;
  const auto touched = static_cast<std::uint64_t>(change.last - change.first);
  work_left_ -= std::min(work_left_, touched);
  Place cut = change.first;
  Touch(cut);
  for (std::size_t i = 0; i < change.count; ++i) {
    cut += change.runs[i].length();
    Touch(cut);
  }
}

// Tries to move the run directly before or after the other, in both directions.
bool LocalSearch::MoveBeside(const RankStretch& run, const RankStretch& other) {
  for (const Place to : {other.begin, other.end}) {
    if (to >= run.begin && to <= run.end) continue;
    const RankStretch over =
        to < run.begin ? RankStretch{to, run.begin} : RankStretch{run.end, to};
    for (const bool backwards : {false, true}) {
      RankStretch moved = run;
      moved.backwards = backwards;
      if (TryChange(Shift(moved, over))) return true;
    }
  }
  return false;
}

bool LocalSearch::BringTogether(VertexId vertex, VertexId other) {
  const RankStretch a = Of(vertex);
  const RankStretch b = Of(other);
  const RankStretch& low = a.begin < b.begin ? a : b;
  const RankStretch& high = a.begin < b.begin ? b : a;
  if (low.end != high.begin) {
    if (TryChange(Reversal(low.end, high.end))) return true;
    if (TryChange(Reversal(low.begin, high.begin))) return true;
  }
  RankStretch forwards = a;
  RankStretch back = a;
  for (std::size_t i = 0; i < kLongestRun; ++i) {
    if (MoveBeside(forwards, b)) return true;
    if (i > 0 && MoveBeside(back, b)) return true;
    RankStretch next;
    if (After(forwards.end, next)) forwards.end = next.end;
    if (Before(back.begin, next)) back.begin = next.begin;
  }
  RankStretch beside;
  for (const bool before : {false, true}) {
    if (!(before ? Before(b.begin, beside) : After(b.end, beside))) continue;
    if (beside.begin == a.begin) continue;
    if (TryChange(a.begin < beside.begin ? Exchange(a, beside)
                                         : Exchange(beside, a))) {
      return true;
    }
  }
  return false;
}

bool LocalSearch::Improve(VertexId vertex) {
  for (std::size_t i = first_neighbour_[vertex];
       i < first_neighbour_[vertex + 1]; ++i) {
    if (BringTogether(vertex, neighbours_[i])) return true;
  }
  // Vertices without neighbours in the graph, such as leaf switches: those next
  // in rank.
  RankStretch near = Of(vertex);
  for (int i = 0; i < 3 && After(near.end, near); ++i) {
    if (BringTogether(vertex, At(near.begin))) return true;
  }
  return false;
}

void LocalSearch::Settle() {
  while (!open_.empty() && work_left_ > 0) {
    const VertexId vertex = open_.front();
    open_.pop_front();
    is_open_[vertex] = false;
    while (work_left_ > 0 && Improve(vertex)) {
    }
  }
}

// Exchanges two neighbouring random runs of up to ten vertices each.
bool LocalSearch::Disturb(std::mt19937_64& random) {
  const auto size = static_cast<std::uint64_t>(size_);
  RankStretch a = Of(At(static_cast<Place>(random() % size)));
  RankStretch next;
  for (std::uint64_t more = random() % 10; more > 0 && After(a.end, next);
       --more) {
    a.end = next.end;
  }
  if (!After(a.end, next)) return false;
  RankStretch b = next;
  for (std::uint64_t more = random() % 10; more > 0 && After(b.end, next);
       --more) {
    b.end = next.end;
  }
  a.backwards = random() % 2 == 0;
  b.backwards = random() % 2 == 0;
  const RankChange change = Shift(a, b);
  gained_ -= Delta(change, reach_);
  Apply(change);
  return true;
}

// Iterated local search: random changes followed by Settle, undone if the cost
// rose.
void LocalSearch::Shake() {
  constexpr std::uint64_t kSeed = 2718281828;
  std::mt19937_64 random(kSeed);
  recording_ = true;
  while (work_left_ > 0) {
    undo_.clear();
    gained_ = 0;
    --work_left_;
    if (!Disturb(random)) continue;
    Settle();
    if (gained_ >= 0) continue;
    for (std::size_t i = undo_.size(); i-- > 0;) {
      const Undo& undo = undo_[i];
      std::copy(undo.vertices.begin(), undo.vertices.end(),
                at_.begin() + undo.first);
      const Place last = undo.first + static_cast<Place>(undo.vertices.size());
      for (Place p = last; p-- > undo.first;) begin_[At(p)] = p;
    }
    for (const VertexId vertex : open_) is_open_[vertex] = false;
    open_.clear();
  }
}

std::vector<VertexId> LocalSearch::Run() {
  if (size_ < 3) return std::move(at_);
  for (const VertexId vertex : at_) {
    if (is_open_[vertex]) continue;
    is_open_[vertex] = true;
    open_.push_back(vertex);
  }
  const std::size_t vertices = open_.size();
  Settle();
  if (vertices > 3 && at_.size() <= kMaxShaken) Shake();
  return std::move(at_);
}

}  // namespace

std::vector<VertexId> ImproveLocality(const Topology& topology,
                                      std::vector<VertexId> vertices,
                                      const LocalSearchOptions& options) {
  return LocalSearch(topology, std::move(vertices), options).Run();
}

std::vector<VertexId> VerticesAtRanks(const Topology& topology,
                                      std::span<const NodeId> nodes) {
  std::vector<VertexId> vertices;
  vertices.reserve(nodes.size());
  for (const NodeId node : nodes) vertices.push_back(topology.VertexOf(node));
  return vertices;
}

std::vector<NodeId> NodesAtRanks(const Topology& topology,
                                 std::span<const VertexId> vertices) {
  std::vector<NodeCount> taken(topology.vertex_count(), 0);
  std::vector<NodeId> nodes;
  nodes.reserve(vertices.size());
  for (const VertexId vertex : vertices) {
    nodes.push_back(topology.NodesAt(vertex).first + taken[vertex]++);
  }
  return nodes;
}

}  // namespace coolspan
