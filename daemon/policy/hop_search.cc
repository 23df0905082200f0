// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <span>
#include <utility>

#include "policy/centre_search.h"
#include "policy/parallel.h"

namespace coolspan {
namespace {

constexpr std::size_t kCentresOfPiece = 8;
constexpr std::size_t kCentresOfBatch = 256;

// What is collected around one centre, by hop distance alone. One a thread.
class HopCentre {
 public:
  HopCentre(const Topology& topology, const FreeSites& sites,
            std::span<const VertexNodes> free)
      : topology_(topology), sites_(sites), free_(free) {}

  std::uint64_t ShellSum(VertexId centre) {
    FindShells(centre);
    return collected_.shell_sum;
  }
  std::uint64_t Total(VertexId centre);
  const Collected& collected() const { return collected_; }

 private:
  void FindShells(VertexId centre);
  std::uint64_t SumTo(VertexId vertex) const;

  const Topology& topology_;
  const FreeSites& sites_;
  std::span<const VertexNodes> free_;
  std::vector<Hops> hops_;  // to each of free_
  std::vector<NodeCount> nodes_in_shell_;
  Collected collected_;
  LeastSites least_sites_;
};

void HopCentre::FindShells(VertexId centre) {
  hops_.clear();
  nodes_in_shell_.clear();
  for (const VertexNodes& site : free_) {
    const Hops hops = topology_.VertexDistance(centre, site.vertex);
    hops_.push_back(hops);
    if (nodes_in_shell_.size() <= hops) nodes_in_shell_.resize(hops + 1, 0);
    nodes_in_shell_[hops] += site.count;
  }
  collected_.missing = sites_.wanted;
  collected_.shell_sum = 0;
  Hops shell = 0;
  for (; nodes_in_shell_[shell] < collected_.missing; ++shell) {
    collected_.missing -= nodes_in_shell_[shell];
    collected_.shell_sum += std::uint64_t{shell} * nodes_in_shell_[shell];
  }
  collected_.last_shell = shell;
  collected_.shell_sum += std::uint64_t{shell} * collected_.missing;
  for (const VertexNodes& site : sites_.required) {
    collected_.shell_sum += std::uint64_t{site.count} *
                            topology_.VertexDistance(centre, site.vertex);
  }
}

// To required nodes and whole shells.
std::uint64_t HopCentre::SumTo(VertexId vertex) const {
  std::uint64_t sum = 0;
  for (const VertexNodes& site : sites_.required) {
    sum += std::uint64_t{site.count} *
           topology_.VertexDistance(vertex, site.vertex);
  }
  for (const VertexNodes& site : collected_.whole_shells) {
    sum += std::uint64_t{site.count} *
           topology_.VertexDistance(vertex, site.vertex);
  }
  return sum;
}

std::uint64_t HopCentre::Total(VertexId centre) {
  FindShells(centre);
  collected_.whole_shells.clear();
  collected_.last_sites.clear();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (hops_[i] < collected_.last_shell) {
      collected_.whole_shells.push_back(free_[i]);
    } else if (hops_[i] == collected_.last_shell) {
      collected_.last_sites.push_back({0, free_[i].vertex, free_[i].count});
    }
  }
  std::uint64_t twice = 0;
  for (const VertexNodes& site : sites_.required) {
    twice += site.count * SumTo(site.vertex);
  }
  for (const VertexNodes& site : collected_.whole_shells) {
    twice += site.count * SumTo(site.vertex);
  }
  collected_.whole_total = twice / 2;
  for (ShellSite& site : collected_.last_sites) site.sum = SumTo(site.vertex);
  least_sites_.Take(collected_.last_sites, RangeOf(collected_.last_sites),
                    collected_.missing, collected_.taken);
  collected_.total = collected_.whole_total;
  for (std::size_t i = 0; i < collected_.taken.size(); ++i) {
    const ShellSite& site = collected_.taken[i];
    collected_.total += site.count * site.sum;
    for (std::size_t j = 0; j < i; ++j) {
      const ShellSite& other = collected_.taken[j];
      collected_.total += std::uint64_t{site.count} * other.count *
                          topology_.VertexDistance(site.vertex, other.vertex);
    }
  }
  return collected_.total;
}

}  // namespace

CentreFound SearchHops(const Topology& topology, const FreeSites& sites,
                       const CentreRule& rule, Budget& budget) {
  std::vector<VertexNodes> free;
  std::vector<VertexId> centres;
  for (VertexId vertex = 0; vertex < topology.vertex_count(); ++vertex) {
    if (sites.capacity[vertex] > 0) {
      free.push_back({vertex, sites.capacity[vertex]});
    }
    const bool is_centre = rule.centres == CentreRule::Centres::kFree
                               ? sites.HasNodes(vertex)
                               : topology.NodesAt(vertex).count > 0;
    if (is_centre) centres.push_back(vertex);
  }
  const bool by_shells = rule.score == CentreRule::Score::kShellSum;
  ScoredCentre best;
  best.centre = centres.front();
  std::uint64_t scored = 0;
  for (std::span<const VertexId> rest = centres; !rest.empty();) {
    const auto batch = rest.first(std::min(rest.size(), kCentresOfBatch));
    rest = rest.subspan(batch.size());
    if (!budget.Spend(batch.size() * (free.size() + sites.wanted))) break;
    std::vector<ScoredCentre> found(batch.size());
    const std::uint64_t limit = best.score;
    ForEachPiece(
        batch.size(), kCentresOfPiece, [&](std::size_t begin, std::size_t end) {
          HopCentre centre(topology, sites, free);
          for (std::size_t i = begin; i < end; ++i) {
            const VertexId at = batch[i];
            const std::uint64_t score = by_shells ? centre.ShellSum(at) : 0;
            if (score > limit) continue;
            found[i] = {score, centre.Total(at), at};
          }
        });
    for (const ScoredCentre& one : found) best = std::min(best, one);
    scored += batch.size();
  }
  HopCentre centre(topology, sites, free);
  centre.Total(best.centre);
  CentreFound result = FinishCentre(topology, best.centre, centre.collected());
  result.centres = centres.size();
  result.scored = scored;
  return result;
}

}  // namespace coolspan
