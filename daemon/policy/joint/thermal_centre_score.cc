// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/thermal_centre_score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "policy/parallel.h"

namespace coolspan {
namespace {

constexpr double kSamePeakK = 1e-6;
constexpr std::size_t kMaxBatch = 64;
// Minimum budget units for a thread.
constexpr std::uint64_t kWorkPerThread = 100'000;
// Constraints evaluated for every centre; the others only for the best ones.
constexpr std::size_t kFirstConstraints = 8;
// Approximate budget units between two checks of the budget.
constexpr std::uint64_t kWorkPerBatch = std::uint64_t{1} << 19;

// The allocation around one centre.
struct Candidate {
  VertexId centre = 0;
  std::uint64_t pairwise_total = 0;
  std::vector<NodeId> nodes;
  double min_peak_c = -std::numeric_limits<double>::infinity();
  std::size_t constraints_seen = 0;
  bool is_exact = false;  // min_peak_c is the peak, not a lower bound
};

// The watts that a set of nodes adds, by group. Not thread-safe.
class GroupPower {
 public:
  GroupPower(const ThermalProblem& problem,
             std::span<const std::uint32_t> group_of)
      : problem_(problem),
        group_of_(group_of),
        watts_(problem.groups().size(), 0.0),
        zone_on_(problem.has_power_on() ? problem.zone_count() : 0, false) {}

  void Set(std::span<const NodeId> nodes) {
    for (const std::uint32_t g : active_groups_) watts_[g] = 0;
    for (const std::uint32_t g : active_groups_) SwitchZone(g, false);
    active_groups_.clear();
    const auto groups = problem_.groups();
    for (const NodeId node : nodes) {
      const std::uint32_t g = group_of_[node];
      if (watts_[g] == 0) active_groups_.push_back(g);
      watts_[g] += groups[g].watts;
      if (SwitchZone(g, true)) {
        watts_[g] += problem_.PowerOnWatts(groups[g].zone);
      }
    }
  }
  // sum_g w_g D[i, z(g)] for the row of one inlet.
  double RiseK(std::span<const double> k_per_watt) const {
    double rise_k = 0;
    for (const std::uint32_t g : active_groups_) {
      rise_k += watts_[g] * k_per_watt[g];
    }
    return rise_k;
  }
  // Calls visit(group, watts) in the order of the nodes.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const std::uint32_t g : active_groups_) visit(g, watts_[g]);
  }
  std::vector<ZonePower> Emitters() const {
    std::vector<ZonePower> emitters;
    emitters.reserve(active_groups_.size());
    ForEach([&](std::uint32_t group, double watts) {
      emitters.push_back({problem_.groups()[group].zone, watts});
    });
    return emitters;
  }

 private:
  // Returns whether the state of the group's zone changed.
  bool SwitchZone(std::uint32_t group, bool on) {
    if (zone_on_.empty()) return false;
    const ZoneId zone = problem_.groups()[group].zone;
    const bool changed = zone_on_[zone] != on;
    zone_on_[zone] = on;
    return changed;
  }

  const ThermalProblem& problem_;
  std::span<const std::uint32_t> group_of_;  // by NodeId
  std::vector<double> watts_;
  std::vector<bool> zone_on_;                 // by zone; empty: all are on
  std::vector<std::uint32_t> active_groups_;  // in the order of the nodes
};

// The first constraints, with the coefficients of a group for all of them
// adjacent in memory, so that they are summed together.
class FirstConstraints {
 public:
  explicit FirstConstraints(const InletConstraints& constraints)
      : count_(std::min(constraints.size(), kFirstConstraints)),
        k_per_watt_(constraints.problem().groups().size()) {
    base_c_.fill(-std::numeric_limits<double>::infinity());
    for (std::size_t row = 0; row < count_; ++row) {
      base_c_[row] = constraints.BaseC(row);
      const std::span<const double> k_per_watt = constraints.KPerWatt(row);
      for (std::size_t g = 0; g < k_per_watt_.size(); ++g) {
        k_per_watt_[g][row] = k_per_watt[g];
      }
    }
  }

  std::size_t count() const { return count_; }
  // max_i T_i over these constraints.
  double MaxInletC(const GroupPower& power) const {
    Row rise_k{};
    power.ForEach([&](std::uint32_t group, double watts) {
      const Row& k_per_watt = k_per_watt_[group];
      for (std::size_t row = 0; row < kFirstConstraints; ++row) {
        rise_k[row] += watts * k_per_watt[row];
      }
    });
    double max_inlet_c = base_c_[0] + rise_k[0];
    for (std::size_t row = 1; row < kFirstConstraints; ++row) {
      max_inlet_c = std::max(max_inlet_c, base_c_[row] + rise_k[row]);
    }
    return max_inlet_c;
  }

 private:
  using Row = std::array<double, kFirstConstraints>;

  std::size_t count_;
  Row base_c_{};
  std::vector<Row> k_per_watt_;  // by group
};

class CentreScoring {
 public:
  CentreScoring(InletConstraints& constraints, Budget& budget)
      : constraints_(constraints),
        problem_(constraints.problem()),
        budget_(budget),
        group_of_(problem_.GroupOfNodes()),
        power_(problem_, group_of_) {}

  void Collect(std::span<const VertexId> centres,
               absl::FunctionRef<CollectAround()> collect_around,
               std::uint64_t work_per_centre);
  std::optional<ThermalCentre> SelectBest();

 private:
  void EvaluateConstraints(const GroupPower& power, std::size_t end,
                           Candidate& candidate) const;
  void ComputePeak(Candidate& candidate);
  bool Refine(Candidate& candidate);

  InletConstraints& constraints_;
  const ThermalProblem& problem_;
  Budget& budget_;
  std::vector<std::uint32_t> group_of_;
  GroupPower power_;
  std::vector<Candidate> candidates_;
  std::uint64_t evaluated_ = 0;
};

// Raises min_peak_c by the constraints up to `end`. power: of the candidate.
void CentreScoring::EvaluateConstraints(const GroupPower& power,
                                        std::size_t end,
                                        Candidate& candidate) const {
  for (; candidate.constraints_seen < end; ++candidate.constraints_seen) {
    const double inlet_c =
        constraints_.BaseC(candidate.constraints_seen) +
        power.RiseK(constraints_.KPerWatt(candidate.constraints_seen));
    candidate.min_peak_c = std::max(candidate.min_peak_c, inlet_c);
  }
}

void CentreScoring::Collect(std::span<const VertexId> centres,
                            absl::FunctionRef<CollectAround()> collect_around,
                            std::uint64_t work_per_centre) {
  const auto max_batch = std::clamp<std::size_t>(
      kWorkPerBatch / std::max<std::uint64_t>(work_per_centre, 1), 1,
      kMaxBatch);
  const auto piece = std::max<std::size_t>(
      kWorkPerThread / std::max<std::uint64_t>(work_per_centre, 1), 1);
  std::optional<FirstConstraints> first_constraints;
  for (std::size_t from = 0; from < centres.size(); from = candidates_.size()) {
    // The first centre alone, for an early answer.
    const std::size_t count =
        from == 0 ? 1 : std::min(max_batch, centres.size() - from);
    if (!budget_.Spend(count * work_per_centre)) return;
    // Worth its setup only for enough centres.
    if (from > 0 && !first_constraints &&
        centres.size() * problem_.nodes_to_choose() >
            problem_.groups().size()) {
      first_constraints.emplace(constraints_);
    }
    candidates_.resize(from + count);
    ForEachPiece(count, piece, [&](std::size_t begin, std::size_t end) {
      GroupPower power(problem_, group_of_);
      CollectAround collect = collect_around();
      for (std::size_t i = from + begin; i < from + end; ++i) {
        CollectedNodes collected = collect(centres[i]);
        Candidate& candidate = candidates_[i];
        candidate.centre = centres[i];
        candidate.nodes = std::move(collected.nodes);
        candidate.pairwise_total = collected.pairwise_total;
        power.Set(candidate.nodes);
        if (first_constraints) {
          candidate.min_peak_c = first_constraints->MaxInletC(power);
          candidate.constraints_seen = first_constraints->count();
        } else {
          EvaluateConstraints(power,
                              std::min(constraints_.size(), kFirstConstraints),
                              candidate);
        }
      }
    });
  }
}

void CentreScoring::ComputePeak(Candidate& candidate) {
  std::vector<double> inlet_c(problem_.inlet_c().begin(),
                              problem_.inlet_c().end());
  power_.Set(candidate.nodes);
  problem_.heat().AddRise(power_.Emitters(), inlet_c);
  const auto peak = std::max_element(inlet_c.begin(), inlet_c.end());
  candidate.min_peak_c = *peak;
  candidate.is_exact = true;
  const auto zone = static_cast<ZoneId>(peak - inlet_c.begin());
  if (!constraints_.Has(zone)) constraints_.Add(zone);
  ++evaluated_;
}

// Tightens the bound of a candidate's peak: by the new constraints, else by
// computing all inlets. Returns false when the budget ends.
bool CentreScoring::Refine(Candidate& candidate) {
  const std::size_t new_constraints =
      constraints_.size() - candidate.constraints_seen;
  if (new_constraints > 0) {
    if (!budget_.Spend(candidate.nodes.size() * (1 + new_constraints))) {
      return false;
    }
    power_.Set(candidate.nodes);
    EvaluateConstraints(power_, constraints_.size(), candidate);
    return true;
  }
  if (!budget_.Spend(std::uint64_t{problem_.zone_count()} *
                     (1 + candidate.nodes.size() / 8))) {
    return false;
  }
  ComputePeak(candidate);
  return true;
}

// Best-first search: candidates are ranked by lower bounds of their peaks, so
// the first one at the top with an exact peak is the best.
std::optional<ThermalCentre> CentreScoring::SelectBest() {
  if (candidates_.empty()) return std::nullopt;
  using Rank = std::tuple<std::int64_t, std::uint64_t, VertexId, std::size_t>;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> queue;
  const auto push = [&](std::size_t i) {
    queue.emplace(std::llround(candidates_[i].min_peak_c / kSamePeakK),
                  candidates_[i].pairwise_total, candidates_[i].centre, i);
  };
  for (std::size_t i = 0; i < candidates_.size(); ++i) push(i);
  std::size_t best = std::get<3>(queue.top());
  while (!candidates_[best].is_exact && Refine(candidates_[best])) {
    queue.pop();
    push(best);
    best = std::get<3>(queue.top());
  }
  Candidate& winner = candidates_[best];
  if (!winner.is_exact) ComputePeak(winner);
  return ThermalCentre{winner.centre,         winner.min_peak_c,
                       winner.pairwise_total, std::move(winner.nodes),
                       candidates_.size(),    evaluated_};
}

}  // namespace

std::optional<ThermalCentre> FindThermalCentre(
    InletConstraints& constraints, std::span<const VertexId> centres,
    absl::FunctionRef<CollectAround()> collect_around,
    std::uint64_t work_per_centre, Budget& budget) {
  CentreScoring scoring(constraints, budget);
  scoring.Collect(centres, collect_around, work_per_centre);
  return scoring.SelectBest();
}

}  // namespace coolspan
