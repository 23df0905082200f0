// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ordering/assignment_programme.h"
#include "ordering/curves.h"
#include "ordering/exact_search.h"
#include "ordering/local_search.h"
#include "ordering/rank_problem.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;
using Site = RankProblem::Site;

struct MipOptions {
  bool ring = false;
  double seconds = 60;
};

absl::StatusOr<MipOptions> ParseOptions(std::string_view text) {
  MipOptions options;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    constexpr std::string_view kSeconds = "seconds=";
    if (word == "ring") {
      options.ring = true;
    } else if (!word.starts_with(kSeconds) ||
               !absl::SimpleAtod(std::string(word.substr(kSeconds.size())),
                                 &options.seconds) ||
               !(options.seconds >= 0 && options.seconds <= 1e6)) {
      return absl::InvalidArgumentError(
          absl::StrCat("ordering mip: unknown option \"",
                       absl::CHexEscape(std::string(word)),
                       "\" (expected ring or seconds=N, N from 0 to 1000000, "
                       "as in mip:ring,seconds=10)"));
    }
  }
  return options;
}

double CostOf(const Topology& topology, const std::vector<NodeId>& nodes,
              bool ring) {
  const OrderingCost cost = MeasureOrdering(topology, nodes);
  return ring ? cost.locality_cost_ring : cost.locality_cost;
}

// The best of the other orderings after local search.
std::vector<NodeId> BestKnown(const Machine& machine, const MipOptions& options,
                              Clock::time_point end) {
  constexpr std::size_t kMaxImproved = 2;
  constexpr NodeCount kSmall = 512;  // up to here all orderings are improved
  constexpr std::uint64_t kWorkPerNode = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 28;
  const Topology& topology = machine.topology();
  std::vector<std::pair<double, std::vector<NodeId>>> known;
  for (const auto make :
       {HilbertNodes, SpectralNodes, SnakeNodes, RowMajorNodes}) {
    absl::StatusOr<OrderedNodes> ordered = make(machine, {});
    if (!ordered.ok()) continue;
    const double cost = CostOf(topology, ordered->nodes, options.ring);
    known.emplace_back(cost, std::move(ordered->nodes));
  }
  std::stable_sort(
      known.begin(), known.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::size_t improved = topology.node_count() <= kSmall
                                   ? known.size()
                                   : std::min(known.size(), kMaxImproved);
  for (std::size_t i = 0; i < improved && Clock::now() < end; ++i) {
    auto& [cost, nodes] = known[i];
    nodes = NodesAtRanks(
        topology,
        ImproveLocality(
            topology, VerticesAtRanks(topology, nodes),
            {.ring = options.ring,
             .distances = std::min(kMaxWork, nodes.size() * kWorkPerNode)}));
    cost = CostOf(topology, nodes, options.ring);
  }
  return std::min_element(
             known.begin(), known.end(),
             [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

absl::StatusOr<SearchResult> SolveExactly(const RankProblem& problem,
                                          std::vector<Site> order,
                                          Clock::time_point end) {
  const std::size_t assignments =
      std::size_t{problem.ranks()} * problem.sites();
  if (problem.ranks() > kMaxProgrammeRanks || assignments > kMaxAssignments) {
    return SearchBestOrder(problem, std::move(order), end);
  }
  const std::chrono::duration<double> left = end - Clock::now();
  return SolveAsProgramme(problem, std::move(order), left.count());
}

OrderedNodes WithProof(const Topology& topology, std::vector<NodeId> nodes,
                       bool ring, ScaledCost bound, bool proved) {
  OrderingProof proof{.ring = ring, .proved = proved};
  const double cost = CostOf(topology, nodes, ring);
  proof.bound =
      proved ? cost : std::min(cost, static_cast<double>(bound) / kCostScale);
  proof.gap = cost > 0 ? (cost - proof.bound) / cost : 0;
  return {std::move(nodes), proof};
}

}  // namespace

absl::StatusOr<OrderedNodes> MipNodes(const Machine& machine,
                                      std::string_view argument) {
  const absl::StatusOr<MipOptions> options = ParseOptions(argument);
  if (!options.ok()) return options.status();
  const Topology& topology = machine.topology();
  const Clock::time_point end =
      Clock::now() + std::chrono::microseconds(
                         static_cast<std::int64_t>(options->seconds * 1e6));
  std::vector<NodeId> nodes = BestKnown(machine, *options, end);
  const RankProblem problem(topology, options->ring);
  const ScaledCost bound = LocalityBound(problem);
  const double bound_hops = static_cast<double>(bound) / kCostScale;
  // Tolerance for rounding; different costs differ by more.
  const double cost = CostOf(topology, nodes, options->ring);
  const bool met = cost <= bound_hops * (1 + 1e-12);
  if (met || problem.ranks() > kMaxSearched) {
    return WithProof(topology, std::move(nodes), options->ring, bound, met);
  }
  std::vector<Site> order;
  order.reserve(nodes.size());
  for (const NodeId node : nodes) {
    order.push_back(problem.SiteOf(topology.VertexOf(node)));
  }
  absl::StatusOr<SearchResult> result =
      SolveExactly(problem, std::move(order), end);
  if (!result.ok()) return result.status();
  std::vector<VertexId> vertices;
  vertices.reserve(nodes.size());
  for (const Site site : result->order) {
    vertices.push_back(problem.VertexOf(site));
  }
  return WithProof(topology, NodesAtRanks(topology, vertices), options->ring,
                   std::max(bound, result->bound),
                   result->bound == result->cost);
}

}  // namespace coolspan
