// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "policy/centre_search.h"
#include "policy/hop_rows.h"
#include "policy/parallel.h"

namespace coolspan {
namespace {

constexpr std::size_t kCentresOfPiece = 8;
constexpr std::size_t kCentresOfBatch = 256;
// Work units between two looks at the budget, about.
constexpr std::uint64_t kBatchWork = std::uint64_t{1} << 22;
// Distances in a row, read as fast as one node is looked at.
constexpr std::uint64_t kPairsOfUnit = 4;
constexpr std::uint64_t kNoLimit = ScoredCentre::kNever;

// Vertices of a machine in the order that a search numbers them: those with a
// node that is required or may be chosen, then those that are centres only.
struct HopPlaces {
  struct Place {
    NodeCount capacity;
    NodeCount required;
  };
  HopPlaces(const Topology& topology, const FreeSites& sites,
            CentreRule::Centres centres);

  std::vector<VertexId> vertices;
  std::vector<Place> places;           // of the first of them
  std::vector<std::uint32_t> centres;  // ascending by vertex

  // Of a vertex that is a place; they are ascending.
  std::uint32_t IndexOf(VertexId vertex) const {
    const auto end =
        vertices.begin() + static_cast<std::ptrdiff_t>(places.size());
    return static_cast<std::uint32_t>(
        std::lower_bound(vertices.begin(), end, vertex) - vertices.begin());
  }
};

HopPlaces::HopPlaces(const Topology& topology, const FreeSites& sites,
                     CentreRule::Centres kind) {
  std::vector<VertexId> centres_only;
  auto required = sites.required.begin();
  for (VertexId vertex = 0; vertex < topology.vertex_count(); ++vertex) {
    Place place{sites.capacity[vertex], 0};
    if (required != sites.required.end() && required->vertex == vertex) {
      place.required = required->count;
      ++required;
    }
    if (place.capacity > 0 || place.required > 0) {
      vertices.push_back(vertex);
      places.push_back(place);
    } else if (kind == CentreRule::Centres::kCrossings &&
               topology.NodesAt(vertex).count > 0) {
      centres_only.push_back(vertex);
    }
  }
  vertices.insert(vertices.end(), centres_only.begin(), centres_only.end());
  centres.resize(vertices.size());
  std::iota(centres.begin(), centres.end(), 0U);
  std::sort(centres.begin(), centres.end(),
            [this](std::uint32_t a, std::uint32_t b) {
              return vertices[a] < vertices[b];
            });
}

// What is collected around one centre, by hop distance alone. One a thread.
class HopCentre {
 public:
  HopCentre(const HopPlaces& places, const HopRows& rows,
            const FreeSites& sites)
      : places_(places), rows_(rows), sites_(sites) {}

  std::uint64_t ShellSum(std::uint32_t centre) {
    FindShells(centre);
    return collected_.shell_sum;
  }
  // Where it is found to be the limit or more before all of it is known, no
  // more is done and the answer is no less than the limit, too.
  std::uint64_t Total(std::uint32_t centre, std::uint64_t limit);
  const Collected& collected() const { return collected_; }

 private:
  void FindShells(std::uint32_t centre);
  // Nodes of a place that are required or in a whole shell.
  NodeCount WholeAt(std::uint32_t place) const {
    const HopPlaces::Place& at = places_.places[place];
    return at.required +
           (hops_[place] < collected_.last_shell ? at.capacity : 0);
  }
  void SumDistances();
  std::uint64_t PairsOfTaken();

  const HopPlaces& places_;
  const HopRows& rows_;
  const FreeSites& sites_;
  std::vector<Hops> scratch_;
  std::span<const Hops> hops_;  // to each place
  std::vector<NodeCount> nodes_in_shell_;
  // Places that are required, or in shells up to the last one.
  std::vector<std::uint32_t> near_;
  std::vector<std::uint64_t> sums_;  // of each, to all that is whole
  Collected collected_;
  LeastSites least_sites_;
  std::vector<std::uint32_t> taken_;
};

void HopCentre::FindShells(std::uint32_t centre) {
  hops_ = rows_.Row(centre, scratch_);
  nodes_in_shell_.clear();
  collected_.shell_sum = 0;
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    const Hops hops = hops_[i];
    const HopPlaces::Place& place = places_.places[i];
    if (nodes_in_shell_.size() <= hops) nodes_in_shell_.resize(hops + 1, 0);
    nodes_in_shell_[hops] += place.capacity;
    collected_.shell_sum += std::uint64_t{place.required} * hops;
  }
  collected_.missing = sites_.wanted;
  Hops shell = 0;
  for (; nodes_in_shell_[shell] < collected_.missing; ++shell) {
    collected_.missing -= nodes_in_shell_[shell];
    collected_.shell_sum += std::uint64_t{shell} * nodes_in_shell_[shell];
  }
  collected_.last_shell = shell;
  collected_.shell_sum += std::uint64_t{shell} * collected_.missing;
}

// To required nodes and whole shells, and between those.
void HopCentre::SumDistances() {
  near_.clear();
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (hops_[i] <= collected_.last_shell || places_.places[i].required > 0) {
      near_.push_back(i);
    }
  }
  sums_.assign(near_.size(), 0);
  for (const std::uint32_t i : near_) {
    const NodeCount count = WholeAt(i);
    if (count > 0) rows_.AddDistances(i, count, near_, sums_);
  }
  collected_.whole_shells.clear();
  collected_.last_sites.clear();
  std::uint64_t twice = 0;
  for (std::size_t n = 0; n < near_.size(); ++n) {
    const std::uint32_t i = near_[n];
    twice += WholeAt(i) * sums_[n];
    const NodeCount capacity = places_.places[i].capacity;
    if (capacity == 0) continue;
    const VertexId vertex = places_.vertices[i];
    if (hops_[i] < collected_.last_shell) {
      collected_.whole_shells.push_back({vertex, capacity});
    } else if (hops_[i] == collected_.last_shell) {
      collected_.last_sites.push_back({sums_[n], vertex, capacity});
    }
  }
  collected_.whole_total = twice / 2;
}

std::uint64_t HopCentre::PairsOfTaken() {
  taken_.clear();
  for (const ShellSite& site : collected_.taken) {
    taken_.push_back(places_.IndexOf(site.vertex));
  }
  sums_.assign(taken_.size(), 0);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    rows_.AddDistances(taken_[i], collected_.taken[i].count, taken_, sums_);
  }
  std::uint64_t twice = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    twice += collected_.taken[i].count * sums_[i];
  }
  return twice / 2;
}

std::uint64_t HopCentre::Total(std::uint32_t centre, std::uint64_t limit) {
  FindShells(centre);
  SumDistances();
  if (collected_.whole_total >= limit) return limit;
  least_sites_.Take(collected_.last_sites, RangeOf(collected_.last_sites),
                    collected_.missing, collected_.taken);
  std::uint64_t total = collected_.whole_total;
  for (const ShellSite& site : collected_.taken) {
    total += site.count * site.sum;
  }
  if (total >= limit) return limit;
  collected_.total = total + PairsOfTaken();
  return collected_.total;
}

class HopSearch {
 public:
  HopSearch(const Topology& topology, const FreeSites& sites,
            const CentreRule& rule, Budget& budget)
      : topology_(topology),
        sites_(sites),
        rule_(rule),
        budget_(budget),
        places_(topology, sites, rule.centres),
        rows_(topology, places_.vertices, places_.places.size(), budget),
        best_(places_.centres.front()) {}

  CentreFound Run();

 private:
  std::vector<std::uint32_t> LeastShellSum();
  void LeastPairwise(std::span<const std::uint32_t> centres);

  const Topology& topology_;
  const FreeSites& sites_;
  const CentreRule& rule_;
  Budget& budget_;
  const HopPlaces places_;
  const HopRows rows_;
  std::uint32_t best_;
  std::uint64_t scored_ = 0;
};

// The centres that have it; all of them are looked at before any is scored.
std::vector<std::uint32_t> HopSearch::LeastShellSum() {
  const std::vector<std::uint32_t>& centres = places_.centres;
  std::vector<std::uint64_t> sums(centres.size(), kNoLimit);
  for (std::size_t from = 0; from < centres.size(); from += kCentresOfBatch) {
    const std::size_t count = std::min(kCentresOfBatch, centres.size() - from);
    if (!budget_.Spend(count * places_.places.size())) break;
    ForEachPiece(count, kCentresOfPiece,
                 [&](std::size_t begin, std::size_t end) {
                   HopCentre centre(places_, rows_, sites_);
                   for (std::size_t i = from + begin; i < from + end; ++i) {
                     sums[i] = centre.ShellSum(centres[i]);
                   }
                 });
  }
  const std::uint64_t least = *std::min_element(sums.begin(), sums.end());
  std::vector<std::uint32_t> tied;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    if (sums[i] == least) tied.push_back(centres[i]);
  }
  return tied;
}

// A later centre must be better to win: they are ascending by vertex.
void HopSearch::LeastPairwise(std::span<const std::uint32_t> centres) {
  // Each place is looked at once, those wanted once for each of them.
  const std::uint64_t places = places_.places.size();
  const std::uint64_t near = std::min<std::uint64_t>(sites_.wanted, places);
  const std::uint64_t work = places + near * near / kPairsOfUnit;
  const std::size_t batch =
      std::clamp<std::size_t>(kBatchWork / work, 1, kCentresOfBatch);
  best_ = centres.front();
  std::uint64_t least = kNoLimit;
  std::vector<std::uint64_t> totals(centres.size(), kNoLimit);
  for (std::size_t from = 0; from < centres.size(); from += batch) {
    const std::size_t count = std::min(batch, centres.size() - from);
    if (!budget_.Spend(count * work)) return;
    ForEachPiece(count, kCentresOfPiece,
                 [&](std::size_t begin, std::size_t end) {
                   HopCentre centre(places_, rows_, sites_);
                   std::uint64_t limit = least;
                   for (std::size_t i = from + begin; i < from + end; ++i) {
                     totals[i] = centre.Total(centres[i], limit);
                     limit = std::min(limit, totals[i]);
                   }
                 });
    scored_ += count;
    for (std::size_t i = from; i < from + count; ++i) {
      if (totals[i] >= least) continue;
      least = totals[i];
      best_ = centres[i];
    }
  }
}

CentreFound HopSearch::Run() {
  if (rule_.score == CentreRule::Score::kShellSum) {
    LeastPairwise(LeastShellSum());
  } else {
    LeastPairwise(places_.centres);
  }
  HopCentre centre(places_, rows_, sites_);
  centre.Total(best_, kNoLimit);
  CentreFound found = FinishCentre(topology_, places_.vertices[best_],
                                   centre.collected(), budget_);
  found.centres = places_.centres.size();
  found.scored = scored_;
  return found;
}

}  // namespace

CentreFound SearchHops(const Topology& topology, const FreeSites& sites,
                       const CentreRule& rule, Budget& budget) {
  return HopSearch(topology, sites, rule, budget).Run();
}

}  // namespace coolspan
