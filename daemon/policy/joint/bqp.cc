// SPDX-License-Identifier: GPL-3.0-or-later
// The joint policy of joint-bqp-task-mapping, section 4, equation 8: minimises
//   alpha * Cost_comm(X) + beta * Cost_cool(X)
// See bqp_problem.h.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "policy/joint/bqp_pattern.h"
#include "policy/joint/bqp_problem.h"
#include "policy/joint/bqp_proof.h"
#include "policy/joint/bqp_search.h"
#include "policy/place_demand.h"
#include "policy/policies.h"
#include "policy/thermal/recirculation_sums.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {
namespace {

struct BqpOptions {
  BqpWeights weights;
  std::uint64_t max_subproblems;  // of the branch and bound
  // The latency matrix H; null: hop distances.
  std::shared_ptr<const LatencyMatrix> latencies;
};

class Bqp final : public Policy {
 public:
  Bqp(std::shared_ptr<const Machine> machine, BqpOptions options)
      : machine_(std::move(machine)), options_(std::move(options)) {
    if (const Grid* grid = machine_->topology().grid()) grid_.emplace(*grid);
    if (const Room* room = machine_->room().get()) {
      inlet_sum_k_per_w_ = RecirculationSums(*room);
    }
  }

  std::string_view name() const override { return "bqp"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override {
    if (options_.weights.beta > 0 && view.room() == nullptr) {
      trace.Note("room", "unknown");
      return std::nullopt;
    }
    return PlaceDemand(view, request, trace,
                       [&](const Choice& choice, Trace& facts) {
                         return Choose(choice, HeatFor(view, request),
                                       request.pattern, budget, facts);
                       });
  }

 private:
  BqpHeat HeatFor(const MachineView& view, const Request& request) const;
  std::vector<NodeId> Choose(const Choice& choice, const BqpHeat& heat,
                             const std::shared_ptr<const CommPattern>& pattern,
                             Budget& budget, Trace& trace) const;

  std::shared_ptr<const Machine> machine_;
  const BqpOptions options_;
  std::optional<GridTable> grid_;
  std::vector<double> inlet_sum_k_per_w_;
};

BqpHeat Bqp::HeatFor(const MachineView& view, const Request& request) const {
  if (options_.weights.beta == 0) return {};
  return {view.room(), inlet_sum_k_per_w_, ShareOf(view, request)};
}

std::vector<NodeId> Bqp::Choose(
    const Choice& choice, const BqpHeat& heat,
    const std::shared_ptr<const CommPattern>& pattern, Budget& budget,
    Trace& trace) const {
  const Latencies latencies(machine_->topology(), grid_ ? &*grid_ : nullptr,
                            options_.latencies.get());
  const BqpProblem problem(latencies, options_.weights, heat, choice, budget);
  trace.Note("alpha", options_.weights.alpha);
  trace.Note("beta", options_.weights.beta);
  if (problem.nodes_to_choose == 0 ||
      problem.nodes_to_choose == problem.nodes.size()) {
    trace.Note("search", "not needed");
    return problem.nodes_to_choose == 0 ? problem.required
                                        : choice.available.Members();
  }
  BqpSolution solution = SearchBqp(problem, budget);
  const std::uint64_t starts = solution.starts;
  BqpProof proof;
  constexpr NodeCount kMaxNodes = 256;
  if (problem.sites.size() <= kMaxBqpSites &&
      problem.nodes_to_choose <= kMaxNodes) {
    proof = ProveBqp(problem, options_.max_subproblems, solution, budget);
  } else {
    const double bound = LowerBound(problem, budget);
    proof.proved = bound >= solution.objective - problem.rounding;
    proof.lower_bound = proof.proved ? solution.objective : bound;
  }
  trace.Note("search", proof.subproblems > 0 ? "branch and bound" : "local");
  trace.Note("objective", solution.objective);
  // With a pattern the objective that is proved is not that of the answer.
  if (pattern == nullptr) {
    trace.Note("lower_bound", proof.lower_bound);
    trace.Note("proved", proof.proved ? "yes" : "no");
  }
  trace.Note("latency_range", problem.communication_range);
  if (heat.room != nullptr) trace.Note("heat_range_k", problem.heat_range_k);
  trace.Note("starts", static_cast<std::int64_t>(starts));
  trace.Note("steps", static_cast<std::int64_t>(solution.steps));
  if (proof.subproblems > 0) {
    trace.Note("subproblems", static_cast<std::int64_t>(proof.subproblems));
  }
  if (pattern == nullptr) return problem.NodesOf(solution.taken);
  PatternNodes weighed = ImproveForPattern(
      problem, pattern, problem.NodesOf(solution.taken), choice.seed, budget);
  trace.Note("pattern_objective", weighed.objective);
  trace.Note("pattern_moves", static_cast<std::int64_t>(weighed.moves));
  return std::move(weighed.nodes);
}

}  // namespace

std::unique_ptr<Policy> MakeBqp(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& options) {
  return std::make_unique<Bqp>(
      machine,
      BqpOptions{{options.Value("alpha"), options.Value("beta")},
                 static_cast<std::uint64_t>(options.Value("subproblems")),
                 options.latencies});
}

}  // namespace coolspan
