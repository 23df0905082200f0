// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/hop_centre.h"

#include <numeric>

#include "policy/paid_work.h"
#include "policy/parallel.h"

namespace coolspan {

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

void HopCentre::FindNear() {
  near_.clear();
  whole_.clear();
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (hops_[i] > collected_.last_shell && places_.places[i].required == 0) {
      continue;
    }
    near_.push_back(i);
    const NodeCount count = WholeAt(i);
    if (count > 0) whole_.push_back({i, count});
  }
}

bool HopCentre::SumDistances(std::span<const std::uint32_t> places,
                             std::span<const HopRows::Nodes> nodes,
                             Budget& budget) {
  sums_.resize(places.size());
  const std::size_t rows = std::max<std::size_t>(
      kHopBatchWork / (nodes.size() / kPairsOfUnit + 1), 1);
  for (std::size_t from = 0; from < places.size(); from += rows) {
    const std::size_t count = std::min(rows, places.size() - from);
    if (!budget.Spend(count * nodes.size() / kPairsOfUnit)) return false;
    ForEachPiece(count, rows_of_piece_,
                 [&](std::size_t begin, std::size_t end) {
                   PaidWork paid(budget);
                   for (std::size_t i = from + begin;
                        i < from + end && paid.Continue(nodes.size()); ++i) {
                     sums_[i] = rows_.SumTo(places[i], nodes);
                   }
                 });
  }
  return budget.Spend(0);
}

// Lists the sites of the whole shells and of the last one; returns the total
// pairwise distance of the required nodes and whole shells, half the sum of
// distances over ordered pairs.
std::uint64_t HopCentre::ListSites() {
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
  return twice / 2;
}

bool HopCentre::AddPairsOfTaken(Budget& budget) {
  taken_.clear();
  nodes_taken_.clear();
  for (const ShellSite& site : collected_.taken) {
    taken_.push_back(places_.IndexOf(site.vertex));
    nodes_taken_.push_back({taken_.back(), site.count});
  }
  if (!SumDistances(taken_, nodes_taken_, budget)) return false;
  std::uint64_t twice = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    twice += collected_.taken[i].count * sums_[i];
  }
  collected_.total += twice / 2;
  return true;
}

bool HopCentre::Total(std::uint32_t centre, std::uint64_t limit, Budget& budget,
                      std::uint64_t* total) {
  FindShells(centre);
  FindNear();
  if (!SumDistances(near_, whole_, budget)) return false;
  collected_.whole_total = ListSites();
  collected_.total = *total = collected_.whole_total;
  if (*total >= limit) return true;
  smallest_sums_.Take(collected_.last_sites, RangeOf(collected_.last_sites),
                      collected_.missing, collected_.taken);
  for (const ShellSite& site : collected_.taken) {
    collected_.total += site.count * site.sum;
  }
  *total = collected_.total;
  if (*total >= limit) return true;
  if (!AddPairsOfTaken(budget)) return false;
  *total = collected_.total;
  return true;
}

void HopCentre::CollectWithoutSums(std::uint32_t centre) {
  FindShells(centre);
  FindNear();
  sums_.assign(near_.size(), 0);
  ListSites();
  collected_.whole_total = collected_.total = 0;
  smallest_sums_.Take(collected_.last_sites, RangeOf(collected_.last_sites),
                      collected_.missing, collected_.taken);
}

}  // namespace coolspan
