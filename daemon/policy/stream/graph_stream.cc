// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/graph_stream.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "policy/distance/hop_rows.h"

namespace coolspan {
namespace {

constexpr double kUnscored = std::numeric_limits<double>::infinity();

class GraphStream {
 public:
  GraphStream(const Topology& topology, const Neighbours& neighbours,
              const FreeSites& sites, const StreamCosts& costs, Budget& budget);

  StreamFound Run();

 private:
  // A vertex with free nodes, and what depends on the nodes taken so far.
  struct Place {
    VertexId vertex;
    NodeCount capacity;
    double own_phi;  // of a node there, beside free neighbours
    NodeCount left = 0;
    double taken_beside = 0;  // taken less left nodes one hop away
    std::uint64_t hops = 0;   // sum of distances to all nodes taken
  };
  struct Switch {
    double left = 0;
    double taken = 0;
  };

  void AddRequired();
  void SetOwnPhi(std::span<const std::int32_t> phi);
  std::vector<double> BehindSwitches(
      const std::vector<double>& of_vertices) const;
  double SumBeside(VertexId vertex, const std::vector<double>& of_vertices,
                   const std::vector<double>& behind) const;
  std::vector<std::uint32_t> CentresByNearness();
  std::uint64_t NearestSum(std::uint32_t centre);
  void Reset();
  double ScoreOf(const Place& place, NodeCount count) const;
  std::uint32_t NextPlace(NodeCount missing) const;
  void Take(std::uint32_t place, NodeCount count);
  void TakeNearest(std::uint32_t centre, NodeCount missing);
  double Grow(std::uint32_t centre, bool is_first);

  const Topology& topology_;
  const Neighbours& neighbours_;
  const FreeSites& sites_;
  Budget& budget_;
  double per_hop_ = 0;
  double per_pair_ = 0;
  std::vector<VertexId> vertices_;  // of the places
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_at_;  // by vertex; kNoPlace
  HopRows rows_;
  std::vector<Switch> switches_;
  std::vector<std::uint64_t> hops_to_required_;  // by place
  std::uint64_t total_of_required_ = 0;
  double perimeter_of_required_ = 0;  // before others are taken
  std::vector<Hops> scratch_;
  std::vector<NodeCount> by_hops_;
  std::vector<VertexNodes> taken_;
};

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

std::vector<VertexId> FreeVertices(const FreeSites& sites) {
  std::vector<VertexId> vertices;
  for (VertexId v = 0; v < sites.capacity.size(); ++v) {
    if (sites.capacity[v] > 0) vertices.push_back(v);
  }
  return vertices;
}

GraphStream::GraphStream(const Topology& topology, const Neighbours& neighbours,
                         const FreeSites& sites, const StreamCosts& costs,
                         Budget& budget)
    : topology_(topology),
      neighbours_(neighbours),
      sites_(sites),
      budget_(budget),
      per_pair_(costs.perimeter_weight),
      vertices_(FreeVertices(sites)),
      place_at_(sites.capacity.size(), kNoPlace),
      rows_(topology, vertices_, vertices_.size(), budget),
      switches_(neighbours.switch_count()) {
  double nodes = sites.wanted;
  for (const VertexNodes& site : sites.required) nodes += site.count;
  if (nodes > 1) per_hop_ = 2 / (nodes * (nodes - 1));
  for (const VertexId vertex : vertices_) {
    place_at_[vertex] = static_cast<std::uint32_t>(places_.size());
    places_.push_back({vertex, sites.capacity[vertex], 0});
  }
  hops_to_required_.assign(places_.size(), 0);
  SetOwnPhi(costs.busy_phi);
  AddRequired();
}

// Busy neighbours cost phi; pairs with required nodes are closed.
void GraphStream::SetOwnPhi(std::span<const std::int32_t> phi) {
  const VertexId vertices = topology_.vertex_count();
  std::vector<double> busy(vertices, 0);
  for (VertexId v = 0; v < phi.size(); ++v) {
    busy[v] = static_cast<double>(phi[v]) / kPhiUnit;
  }
  if (!sites_.required.empty()) {
    std::vector<double> around(sites_.capacity.begin(), sites_.capacity.end());
    for (VertexId v = 0; v < vertices; ++v) around[v] += busy[v];
    const std::vector<double> behind = BehindSwitches(around);
    for (const VertexNodes& site : sites_.required) {
      perimeter_of_required_ +=
          site.count * SumBeside(site.vertex, around, behind);
    }
  }
  for (const VertexNodes& site : sites_.required) {
    busy[site.vertex] -= site.count;
  }
  const std::vector<double> behind = BehindSwitches(busy);
  for (Place& place : places_) {
    place.own_phi = SumBeside(place.vertex, busy, behind);
  }
}

// By switch: the sum over the vertices behind it.
std::vector<double> GraphStream::BehindSwitches(
    const std::vector<double>& of_vertices) const {
  std::vector<double> behind(neighbours_.switch_count(), 0);
  for (VertexId v = 0; v < of_vertices.size(); ++v) {
    if (of_vertices[v] == 0) continue;
    for (const std::uint32_t s : neighbours_.Switches(v)) {
      behind[s] += of_vertices[v];
    }
  }
  return behind;
}

// The weighted sum over the neighbours of a node at the vertex.
double GraphStream::SumBeside(VertexId vertex,
                              const std::vector<double>& of_vertices,
                              const std::vector<double>& behind) const {
  double sum = neighbours_.own_weight(vertex) * of_vertices[vertex];
  for (const VertexId beside : neighbours_.Beside(vertex)) {
    sum += neighbours_.beside_weight() * of_vertices[beside];
  }
  for (const std::uint32_t s : neighbours_.Switches(vertex)) {
    sum += neighbours_.switch_weight(s) * behind[s];
  }
  return sum;
}

// If the budget ends, the distances to the other required nodes are left out.
void GraphStream::AddRequired() {
  const std::size_t work = places_.size() + sites_.required.size() / 2;
  for (const VertexNodes& site : sites_.required) {
    if (!budget_.Spend(work)) return;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      hops_to_required_[i] +=
          std::uint64_t{site.count} *
          topology_.VertexDistance(site.vertex, vertices_[i]);
    }
    for (const VertexNodes& other : sites_.required) {
      if (other.vertex >= site.vertex) break;
      total_of_required_ += std::uint64_t{site.count} * other.count *
                            topology_.VertexDistance(site.vertex, other.vertex);
    }
  }
}

// The sum of distances from the centre to the nodes nearest to it.
std::uint64_t GraphStream::NearestSum(std::uint32_t centre) {
  const std::span<const Hops> row = rows_.Row(centre, scratch_);
  by_hops_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (by_hops_.size() <= row[i]) by_hops_.resize(row[i] + std::size_t{1}, 0);
    by_hops_[row[i]] += places_[i].capacity;
  }
  std::uint64_t sum = 0;
  NodeCount missing = sites_.wanted;
  for (std::size_t hops = 0; missing > 0; ++hops) {
    const NodeCount count = std::min(missing, by_hops_[hops]);
    sum += hops * count;
    missing -= count;
  }
  return sum + sites_.wanted * hops_to_required_[centre];
}

std::vector<std::uint32_t> GraphStream::CentresByNearness() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
  keyed.reserve(places_.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (!budget_.Spend(places_.size() / 2) && i > 0) break;
    keyed.emplace_back(NearestSum(i), i);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::uint32_t> centres;
  centres.reserve(keyed.size());
  for (const auto& [sum, place] : keyed) centres.push_back(place);
  return centres;
}

void GraphStream::Reset() {
  std::fill(switches_.begin(), switches_.end(), Switch{});
  for (Place& place : places_) {
    place.left = place.capacity;
    place.hops = hops_to_required_[place_at_[place.vertex]];
    place.taken_beside = 0;
    for (const VertexId beside : neighbours_.Beside(place.vertex)) {
      place.taken_beside -= sites_.capacity[beside];
    }
    for (const std::uint32_t s : neighbours_.Switches(place.vertex)) {
      switches_[s].left += place.capacity;
    }
  }
  taken_.clear();
}

// What each of `count` nodes of the place adds to the score on average. Of a
// vertex or switch with t nodes taken and l left, the pairs between them grow
// from t l to (t + k)(l - k), by l - t - k for each of k nodes.
double GraphStream::ScoreOf(const Place& place, NodeCount count) const {
  const double k = count;
  const double taken = place.capacity - place.left;
  double pairs =
      place.own_phi +
      neighbours_.own_weight(place.vertex) * (place.left - taken - k) -
      neighbours_.beside_weight() * place.taken_beside;
  for (const std::uint32_t s : neighbours_.Switches(place.vertex)) {
    pairs += neighbours_.switch_weight(s) *
             (switches_[s].left - switches_[s].taken - k);
  }
  return per_hop_ * static_cast<double>(place.hops) + per_pair_ * pairs;
}

std::uint32_t GraphStream::NextPlace(NodeCount missing) const {
  std::uint32_t best = kNoPlace;
  double least = kUnscored;
  NodeCount most = 0;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.left == 0) continue;
    const NodeCount count = std::min(missing, place.left);
    const double score = ScoreOf(place, count);
    if (score > least || (score == least && count <= most)) continue;
    least = score;
    best = i;
    most = count;
  }
  return best;
}

void GraphStream::Take(std::uint32_t index, NodeCount count) {
  Place& place = places_[index];
  place.left -= count;
  taken_.push_back({place.vertex, count});
  for (const std::uint32_t s : neighbours_.Switches(place.vertex)) {
    switches_[s].left -= count;
    switches_[s].taken += count;
  }
  for (const VertexId beside : neighbours_.Beside(place.vertex)) {
    if (place_at_[beside] == kNoPlace) continue;
    places_[place_at_[beside]].taken_beside += 2.0 * count;
  }
  const std::span<const Hops> row = rows_.Row(index, scratch_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    places_[i].hops += std::uint64_t{count} * row[i];
  }
}

// Takes the missing nodes from the places nearest to a centre.
void GraphStream::TakeNearest(std::uint32_t centre, NodeCount missing) {
  const std::span<const Hops> row = rows_.Row(centre, scratch_);
  std::vector<std::pair<Hops, std::uint32_t>> by_hops;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].left > 0) by_hops.emplace_back(row[i], i);
  }
  std::sort(by_hops.begin(), by_hops.end());
  for (const auto& [hops, i] : by_hops) {
    if (missing == 0) break;
    const NodeCount count = std::min(missing, places_[i].left);
    taken_.push_back({places_[i].vertex, count});
    missing -= count;
  }
}

// Takes all nodes around a centre and returns their score; kUnscored if the
// budget ends. The first set is completed even then, with the nearest nodes.
double GraphStream::Grow(std::uint32_t centre, bool is_first) {
  if (!budget_.Spend(places_.size()) && !is_first) return kUnscored;
  Reset();
  double score = per_hop_ * static_cast<double>(total_of_required_) +
                 per_pair_ * perimeter_of_required_;
  NodeCount missing = sites_.wanted;
  for (std::uint32_t next = centre; missing > 0;) {
    const NodeCount count = std::min(missing, places_[next].left);
    score += count * ScoreOf(places_[next], count);
    Take(next, count);
    missing -= count;
    if (missing == 0) break;
    if (!budget_.Spend(places_.size())) {
      if (is_first) TakeNearest(centre, missing);
      return kUnscored;
    }
    next = NextPlace(missing);
  }
  return score;
}

StreamFound GraphStream::Run() {
  const std::vector<std::uint32_t> centres = CentresByNearness();
  StreamFound found;
  found.centres = places_.size();
  found.score = kUnscored;
  for (const std::uint32_t centre : centres) {
    const bool is_first = found.chosen.empty();
    const double score = Grow(centre, is_first);
    if (is_first) {
      found.centre = vertices_[centre];
      found.chosen = taken_;
    }
    if (score == kUnscored) break;
    ++found.scored;
    if (score >= found.score) continue;
    found.score = score;
    found.centre = vertices_[centre];
    found.chosen = taken_;
  }
  return found;
}

}  // namespace

StreamFound SearchGraphForStream(const Topology& topology,
                                 const Neighbours& neighbours,
                                 const FreeSites& sites,
                                 const StreamCosts& costs, Budget& budget) {
  return GraphStream(topology, neighbours, sites, costs, budget).Run();
}

}  // namespace coolspan
