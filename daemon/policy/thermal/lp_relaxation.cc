// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/lp_relaxation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/linear_program.h"

namespace coolspan {
namespace {

// Columns (groups) and rows (inlets) of the restricted program: at the start
// and added per round.
constexpr std::size_t kFirstColumns = 256;  // or the number of nodes
constexpr std::size_t kMaxFirstColumns = 2048;
constexpr std::size_t kColumnsPerRound = 192;
constexpr std::size_t kFirstInlets = 4;
constexpr std::size_t kInletsPerRound = 32;
// Size limits, beyond which Frank-Wolfe takes over: matrix entries summed over
// all programs solved, and rows times groups.
constexpr std::uint64_t kMaxProgramEntries = 4'000'000;
constexpr std::uint64_t kMaxRowEntries = 8'000'000;
constexpr int kMaxIterations = 5000;
// Cost of GLPK in budget units.
constexpr std::uint64_t kWorkPerSolve = 2000;
constexpr std::uint64_t kWorkPerEntry = 40;

// All inlets for the watts of all zones, updated by the zones that changed.
class InletTracker {
 public:
  explicit InletTracker(const ThermalProblem& problem)
      : problem_(problem),
        watts_(problem.zone_count(), 0.0),
        inlet_c_(problem.inlet_c().begin(), problem.inlet_c().end()) {}

  // watts: by zone. Returns the number of zones that changed.
  std::size_t SetWatts(std::span<const double> watts) {
    changes_.clear();
    for (ZoneId zone = 0; zone < watts.size(); ++zone) {
      const double change = watts[zone] - watts_[zone];
      if (std::abs(change) > kMinChangeW) {
        changes_.push_back({zone, change});
        watts_[zone] = watts[zone];
      }
    }
    problem_.heat().AddRise(changes_, inlet_c_);
    return changes_.size();
  }
  std::span<const double> inlet_c() const { return inlet_c_; }

 private:
  static constexpr double kMinChangeW = 1e-7;

  const ThermalProblem& problem_;
  std::vector<double> watts_;
  std::vector<double> inlet_c_;
  std::vector<ZonePower> changes_;
};

// Watts by zone for a number of nodes of each group. The idle power of zones
// that are off is divided among their nodes, as in InletConstraints::MinWatts.
template <typename Count>
std::vector<double> WattsOf(const InletConstraints& constraints,
                            const std::vector<Count>& nodes) {
  const ThermalProblem& problem = constraints.problem();
  std::vector<double> watts(problem.zone_count(), 0.0);
  for (std::size_t g = 0; g < nodes.size(); ++g) {
    watts[problem.groups()[g].zone] += nodes[g] * constraints.MinWatts(g);
  }
  return watts;
}

double PeakOf(std::span<const double> inlet_c) {
  return *std::max_element(inlet_c.begin(), inlet_c.end());
}

// The linear program with a subset of its rows (inlets) and columns (groups);
// the other groups are fixed at zero or at their capacity:
//
//   minimise    t
//   subject to  T_i(x) <= t          for each inlet i
//               sum_g x_g = n
//               0 <= x_g <= capacity_g
//
// Rows and columns are added until none of the others matters.
class RestrictedProgram {
 public:
  RestrictedProgram(InletConstraints& constraints, double tolerance_k,
                    Budget& budget)
      : constraints_(constraints),
        problem_(constraints.problem()),
        tolerance_k_(tolerance_k),
        budget_(budget),
        inlets_(constraints.problem()) {}

  // Returns false if the budget or a size limit ended it.
  bool Run(LpRelaxation& result);

 private:
  enum class Status : std::uint8_t { kAtZero, kAtCapacity, kInProgram };

  void ChooseFirstInlets();
  void ChooseColumns();
  void AddColumn(std::size_t group);
  bool SolveOnce();
  bool AddColumns();
  bool AddConstraints();
  LinearProgram Build() const;
  void KeepBest();

  InletConstraints& constraints_;
  const ThermalProblem& problem_;
  double tolerance_k_;
  Budget& budget_;
  InletTracker inlets_;
  std::vector<Status> status_;        // by group
  std::vector<std::size_t> columns_;  // groups
  Basis basis_;                       // of the last program, extended
  std::vector<double> weights_;
  Prices prices_;
  std::uint64_t entries_solved_ = 0;
  double objective_c_ = 0;  // of the last program
  double node_price_ = 0;   // dual value of sum_g x_g = n
  LpRelaxation best_;
};

void RestrictedProgram::ChooseFirstInlets() {
  const auto base = problem_.inlet_c();
  std::vector<ZoneId> zones(base.size());
  for (ZoneId zone = 0; zone < zones.size(); ++zone) zones[zone] = zone;
  const std::size_t count = std::min(kFirstInlets, zones.size());
  std::partial_sort(zones.begin(),
                    zones.begin() + static_cast<std::ptrdiff_t>(count),
                    zones.end(), [&base](ZoneId a, ZoneId b) {
                      return base[a] != base[b] ? base[a] > base[b] : a < b;
                    });
  for (std::size_t i = 0; i < count; ++i) constraints_.Add(zones[i]);
}

void RestrictedProgram::AddColumn(std::size_t group) {
  basis_.variables.push_back(status_[group] == Status::kAtCapacity
                                 ? Standing::kAtHigh
                                 : Standing::kAtLow);
  status_[group] = Status::kInProgram;
  columns_.push_back(group);
}

// The groups with prices nearest to the threshold. Cheaper groups are fixed at
// their capacity, more expensive ones at zero.
void RestrictedProgram::ChooseColumns() {
  const ThermalProblem::Order order = problem_.ByPrice(prices_.of_group);
  status_.assign(order.groups.size(), Status::kAtZero);
  for (std::size_t i = 0; i < order.pivot; ++i) {
    status_[order.groups[i]] = Status::kAtCapacity;
  }
  std::vector<std::uint32_t> candidates = order.groups;
  const auto distance = [this](std::uint32_t g) {
    return std::abs(prices_.of_group[g] - prices_.threshold);
  };
  const std::size_t count = std::clamp<std::size_t>(
      problem_.nodes_to_choose(), kFirstColumns, kMaxFirstColumns);
  if (candidates.size() > count) {
    std::swap(candidates[0], candidates[order.pivot]);  // always included
    std::nth_element(
        candidates.begin() + 1,
        candidates.begin() + static_cast<std::ptrdiff_t>(count),
        candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
          return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
        });
    candidates.resize(count);
  }
  std::sort(candidates.begin(), candidates.end());
  for (const std::uint32_t g : candidates) AddColumn(g);
}

LinearProgram RestrictedProgram::Build() const {
  const auto groups = problem_.groups();
  LinearProgram program;
  const LinearProgram::Variable peak =
      program.AddVariable(-kInfinity, kInfinity, 1);
  std::vector<LinearProgram::Term> terms;
  double left = problem_.nodes_to_choose();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (status_[g] == Status::kAtCapacity) left -= groups[g].capacity;
  }
  for (const std::size_t g : columns_) {
    terms.push_back({program.AddVariable(0, groups[g].capacity, 0), 1.0});
  }
  program.AddRow(left, left, std::move(terms));
  for (std::size_t row = 0; row < constraints_.size(); ++row) {
    double constant_c = constraints_.BaseC(row);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (status_[g] == Status::kAtCapacity) {
        constant_c += groups[g].capacity * constraints_.MinK(row, g);
      }
    }
    std::vector<LinearProgram::Term> sum = {{peak, -1.0}};
    sum.reserve(columns_.size() + 1);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const double k = constraints_.MinK(row, columns_[i]);
      if (k != 0) sum.push_back({i + 1, k});
    }
    program.AddRow(-kInfinity, -constant_c, std::move(sum));
  }
  return program;
}

// Solves the program with the present rows and columns. Returns false if it was
// not solved to optimality or is too large.
bool RestrictedProgram::SolveOnce() {
  const std::uint64_t entries = constraints_.size() * columns_.size();
  entries_solved_ += entries;
  if (entries_solved_ > kMaxProgramEntries ||
      constraints_.size() * problem_.groups().size() > kMaxRowEntries ||
      !budget_.Spend(kWorkPerSolve + kWorkPerEntry * entries +
                     constraints_.size() * problem_.groups().size())) {
    return false;
  }
  basis_.rows.resize(constraints_.size() + 1, Standing::kBasic);
  SolveOptions options;
  options.max_iterations = kMaxIterations;
  options.stop = [this] { return !budget_.Spend(0); };
  if (best_.rounds > 0) options.start = basis_;
  auto solution = Solve(Build(), options);
  ++best_.rounds;
  if (!solution.ok() || solution->status != SolveStatus::kOptimal) {
    return false;
  }
  basis_ = std::move(solution->basis);
  objective_c_ = solution->objective;
  best_.nodes.assign(problem_.groups().size(), 0.0);
  for (std::size_t g = 0; g < best_.nodes.size(); ++g) {
    if (status_[g] == Status::kAtCapacity) {
      best_.nodes[g] = problem_.groups()[g].capacity;
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    best_.nodes[columns_[i]] =
        std::clamp(solution->values[i + 1], 0.0,
                   double(problem_.groups()[columns_[i]].capacity));
  }
  double sum = 0;
  weights_.assign(constraints_.size(), 0.0);
  for (std::size_t row = 0; row < constraints_.size(); ++row) {
    weights_[row] = std::max(0.0, -solution->row_prices[row + 1]);
    sum += weights_[row];
  }
  if (sum <= 0) return false;
  for (double& weight : weights_) weight /= sum;
  node_price_ = solution->row_prices[0];
  KeepBest();
  return true;
}

void RestrictedProgram::KeepBest() {
  constraints_.SetPrices(weights_, prices_);
  if (best_.weights.empty() || prices_.bound_c > best_.prices.bound_c) {
    best_.prices = prices_;
    best_.weights = weights_;
  }
}

// Adds the groups with the wrong sign of the reduced cost c_g - node_price_:
// fixed at zero though it is negative, or at capacity though it is positive.
// Returns false if there are none or the gap is within the tolerance.
bool RestrictedProgram::AddColumns() {
  if (objective_c_ - prices_.bound_c <= tolerance_k_ / 2) return false;
  // By the possible gain, largest first; then the group.
  std::vector<std::pair<double, std::size_t>> violating;
  for (std::size_t g = 0; g < status_.size(); ++g) {
    const double reduced_cost = prices_.of_group[g] - node_price_;
    if ((status_[g] == Status::kAtCapacity && reduced_cost > 0) ||
        (status_[g] == Status::kAtZero && reduced_cost < 0)) {
      violating.emplace_back(
          -std::abs(reduced_cost) * problem_.groups()[g].capacity, g);
    }
  }
  if (violating.empty()) return false;
  const std::size_t count = std::min(
      violating.size(), std::max(kColumnsPerRound, columns_.size() / 2));
  std::nth_element(violating.begin(),
                   violating.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                   violating.end());
  for (std::size_t i = 0; i < count; ++i) AddColumn(violating[i].second);
  return true;
}

// Adds the inlets without a row that are warmer than the program's objective.
// Returns false if there are none or the gap is within the tolerance.
bool RestrictedProgram::AddConstraints() {
  const std::size_t changed =
      inlets_.SetWatts(WattsOf(constraints_, best_.nodes));
  budget_.Spend(changed * problem_.zone_count());
  const auto inlet_c = inlets_.inlet_c();
  best_.peak_c = PeakOf(inlet_c);
  if (best_.peak_c - best_.prices.bound_c <= tolerance_k_) return false;
  std::vector<std::pair<double, ZoneId>> warm;
  for (ZoneId zone = 0; zone < inlet_c.size(); ++zone) {
    if (inlet_c[zone] > objective_c_ + tolerance_k_ / 4 &&
        !constraints_.Has(zone)) {
      warm.emplace_back(-inlet_c[zone], zone);
    }
  }
  if (warm.empty()) return false;
  const std::size_t count = std::min(warm.size(), kInletsPerRound);
  std::partial_sort(warm.begin(),
                    warm.begin() + static_cast<std::ptrdiff_t>(count),
                    warm.end());
  for (std::size_t i = 0; i < count; ++i) constraints_.Add(warm[i].second);
  return true;
}

bool RestrictedProgram::Run(LpRelaxation& result) {
  ChooseFirstInlets();
  weights_.assign(1, 1.0);
  KeepBest();
  ChooseColumns();
  basis_.variables.insert(basis_.variables.begin(), Standing::kBasic);
  bool solved = true;
  do {
    solved = SolveOnce();
  } while (solved && (AddColumns() || AddConstraints()));
  if (best_.nodes.empty()) {
    const std::vector<NodeCount> counts =
        problem_.Cheapest(best_.prices.of_group);
    best_.nodes.assign(counts.begin(), counts.end());
  }
  inlets_.SetWatts(WattsOf(constraints_, best_.nodes));
  best_.peak_c = PeakOf(inlets_.inlet_c());
  result = std::move(best_);
  return solved;
}

}  // namespace

void LowerPeakByFrankWolfe(const InletConstraints& constraints,
                           double tolerance_k, Budget& budget,
                           LpRelaxation& relaxation) {
  // A step multiplies by all of D, which can be dense: about 0.1 s of steps,
  // but at least kMinSteps.
  constexpr std::uint64_t kMaxWork = 200'000'000;
  constexpr std::uint64_t kMinSteps = 3;
  constexpr std::uint64_t kMaxSteps = 100;
  relaxation.method = "first-order";
  const ThermalProblem& problem = constraints.problem();
  const ZoneId zones = problem.zone_count();
  InletTracker vertex(problem);
  std::vector<double> nodes = relaxation.nodes;
  InletTracker start(problem);
  start.SetWatts(WattsOf(constraints, nodes));
  std::vector<double> inlet_c(start.inlet_c().begin(), start.inlet_c().end());
  std::vector<double> weights(zones);
  Prices prices;
  const std::uint64_t max_steps = std::clamp(
      kMaxWork / (std::uint64_t{zones} * zones + 1), kMinSteps, kMaxSteps);
  for (std::uint64_t step = 0; step < max_steps; ++step) {
    const double peak = PeakOf(inlet_c);
    if (peak < relaxation.peak_c) {
      relaxation.peak_c = peak;
      relaxation.nodes = nodes;
    }
    const double gap = relaxation.peak_c - relaxation.prices.bound_c;
    if (gap <= tolerance_k || !budget.Spend(std::uint64_t{8} * zones)) return;
    const double smoothing_k = std::max(gap, tolerance_k) / 8;
    // lambda_i = exp((T_i - max T) / mu) / sum: max T cancels and avoids
    // overflow.
    double sum = 0;
    for (ZoneId zone = 0; zone < zones; ++zone) {
      const double exponent = (inlet_c[zone] - peak) / smoothing_k;
      weights[zone] = exponent > -30 ? std::exp(exponent) : 0;
      sum += weights[zone];
    }
    for (double& weight : weights) weight /= sum;
    constraints.SetPricesOfAllInlets(weights, prices);
    if (prices.bound_c > relaxation.prices.bound_c) {
      relaxation.prices = prices;
      relaxation.weights.clear();
    }
    const std::vector<NodeCount> counts = problem.Cheapest(prices.of_group);
    budget.Spend(zones * vertex.SetWatts(WattsOf(constraints, counts)));
    // x += gamma * (vertex - x), gamma = 2 / (step + 4).
    const double gamma = 2.0 / (static_cast<double>(step) + 4);
    for (std::size_t g = 0; g < nodes.size(); ++g) {
      nodes[g] += gamma * (counts[g] - nodes[g]);
    }
    for (ZoneId zone = 0; zone < zones; ++zone) {
      inlet_c[zone] += gamma * (vertex.inlet_c()[zone] - inlet_c[zone]);
    }
    ++relaxation.rounds;
  }
}

LpRelaxation SolveRelaxation(InletConstraints& constraints, double tolerance_k,
                             Budget& budget) {
  LpRelaxation relaxation;
  if (!RestrictedProgram(constraints, tolerance_k, budget).Run(relaxation) &&
      !budget.exhausted()) {
    LowerPeakByFrankWolfe(constraints, tolerance_k, budget, relaxation);
  }
  return relaxation;
}

}  // namespace coolspan
