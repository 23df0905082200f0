// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/lp_relaxation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/linear_program.h"

namespace coolspan {
namespace {

// Groups of which the programme decides how much is taken, to begin with and
// at most at a time.
constexpr std::size_t kFirstColumns = 256;  // or as many as are wanted
constexpr std::size_t kMaxFirstColumns = 2048;
constexpr std::size_t kColumnsOfRound = 192;
constexpr std::size_t kRowsAtFirst = 4;
constexpr std::size_t kRowsOfRound = 32;
// What is within the programme's reach: entries of all that are solved, and of
// the rows by all groups.
constexpr std::uint64_t kMaxEntries = 4'000'000;
constexpr std::uint64_t kMaxKept = 8'000'000;
constexpr int kMaxIterations = 5000;
// What GLPK costs, in nodes looked at.
constexpr std::uint64_t kWorkOfCall = 2000;
constexpr std::uint64_t kWorkOfEntry = 40;

// All inlets with some watts in each zone: what changes is added.
class FollowedInlets {
 public:
  explicit FollowedInlets(const ThermalProblem& question)
      : question_(question),
        watts_(question.zone_count(), 0.0),
        inlet_c_(question.inlet_c().begin(), question.inlet_c().end()) {}

  // watts: by zone. Answers the number of zones that changed.
  std::size_t Follow(std::span<const double> watts) {
    changes_.clear();
    for (ZoneId zone = 0; zone < watts.size(); ++zone) {
      const double change = watts[zone] - watts_[zone];
      if (std::abs(change) > kMinChangeW) {
        changes_.push_back({zone, change});
        watts_[zone] = watts[zone];
      }
    }
    question_.heat().AddRise(changes_, inlet_c_);
    return changes_.size();
  }
  std::span<const double> inlet_c() const { return inlet_c_; }

 private:
  static constexpr double kMinChangeW = 1e-7;

  const ThermalProblem& question_;
  std::vector<double> watts_;
  std::vector<double> inlet_c_;
  std::vector<ZonePower> changes_;
};

// Watts by zone of so many nodes of each group, waking watts shared out.
template <typename Count>
std::vector<double> WattsOf(const InletConstraints& rows,
                            const std::vector<Count>& nodes) {
  const ThermalProblem& question = rows.question();
  std::vector<double> watts(question.zone_count(), 0.0);
  for (std::size_t g = 0; g < nodes.size(); ++g) {
    watts[question.groups()[g].zone] += nodes[g] * rows.LeastWatts(g);
  }
  return watts;
}

double PeakOf(std::span<const double> inlet_c) {
  return *std::max_element(inlet_c.begin(), inlet_c.end());
}

class ProgrammeOfRows {
 public:
  ProgrammeOfRows(InletConstraints& rows, double tolerance_k, Budget& budget)
      : rows_(rows),
        question_(rows.question()),
        tolerance_k_(tolerance_k),
        budget_(budget),
        inlets_(rows.question()) {}

  // Whether it was solved; otherwise the budget or the reach ended.
  bool Run(LpRelaxation& result);

 private:
  enum class Part : std::uint8_t { kNone, kAll, kColumn };

  void ChooseRows();
  void ChooseColumns();
  void AddColumn(std::size_t group);
  bool SolveOnce();
  bool AddColumns();
  bool AddRows();
  LinearProgram Build() const;
  void KeepBest();

  InletConstraints& rows_;
  const ThermalProblem& question_;
  double tolerance_k_;
  Budget& budget_;
  FollowedInlets inlets_;
  std::vector<Part> part_;            // by group
  std::vector<std::size_t> columns_;  // groups
  Basis basis_;                       // of the last programme, grown
  std::vector<double> weights_;
  Prices prices_;
  std::uint64_t entries_so_far_ = 0;
  double min_c_ = 0;          // of the last programme
  double price_of_node_ = 0;  // what one more node would add to it
  LpRelaxation best_;
};

void ProgrammeOfRows::ChooseRows() {
  const auto base = question_.inlet_c();
  std::vector<ZoneId> zones(base.size());
  for (ZoneId zone = 0; zone < zones.size(); ++zone) zones[zone] = zone;
  const std::size_t count = std::min(kRowsAtFirst, zones.size());
  std::partial_sort(zones.begin(),
                    zones.begin() + static_cast<std::ptrdiff_t>(count),
                    zones.end(), [&base](ZoneId a, ZoneId b) {
                      return base[a] != base[b] ? base[a] > base[b] : a < b;
                    });
  for (std::size_t i = 0; i < count; ++i) rows_.Add(zones[i]);
}

void ProgrammeOfRows::AddColumn(std::size_t group) {
  basis_.variables.push_back(part_[group] == Part::kAll ? Standing::kAtHigh
                                                        : Standing::kAtLow);
  part_[group] = Part::kColumn;
  columns_.push_back(group);
}

// Those whose price is next to the threshold; the others are all or none.
void ProgrammeOfRows::ChooseColumns() {
  const ThermalProblem::Order order = question_.ByPrice(prices_.of_group);
  part_.assign(order.groups.size(), Part::kNone);
  for (std::size_t i = 0; i < order.place; ++i) {
    part_[order.groups[i]] = Part::kAll;
  }
  std::vector<std::uint32_t> close = order.groups;
  const auto distance = [this](std::uint32_t g) {
    return std::abs(prices_.of_group[g] - prices_.threshold);
  };
  const std::size_t count = std::clamp<std::size_t>(
      question_.wanted(), kFirstColumns, kMaxFirstColumns);
  if (close.size() > count) {
    std::swap(close[0], close[order.place]);  // in any case
    std::nth_element(
        close.begin() + 1, close.begin() + static_cast<std::ptrdiff_t>(count),
        close.end(), [&](std::uint32_t a, std::uint32_t b) {
          return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
        });
    close.resize(count);
  }
  std::sort(close.begin(), close.end());
  for (const std::uint32_t g : close) AddColumn(g);
}

LinearProgram ProgrammeOfRows::Build() const {
  const auto groups = question_.groups();
  LinearProgram program;
  const LinearProgram::Variable peak =
      program.AddVariable(-kInfinity, kInfinity, 1);
  std::vector<LinearProgram::Term> terms;
  double left = question_.wanted();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (part_[g] == Part::kAll) left -= groups[g].capacity;
  }
  for (const std::size_t g : columns_) {
    terms.push_back({program.AddVariable(0, groups[g].capacity, 0), 1.0});
  }
  program.AddRow(left, left, std::move(terms));
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    double fixed_c = rows_.BaseC(row);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (part_[g] == Part::kAll) {
        fixed_c += groups[g].capacity * rows_.LeastK(row, g);
      }
    }
    std::vector<LinearProgram::Term> sum = {{peak, -1.0}};
    sum.reserve(columns_.size() + 1);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const double k = rows_.LeastK(row, columns_[i]);
      if (k != 0) sum.push_back({i + 1, k});
    }
    program.AddRow(-kInfinity, -fixed_c, std::move(sum));
  }
  return program;
}

// The programme of these rows and columns; false where it could not be solved.
bool ProgrammeOfRows::SolveOnce() {
  const std::uint64_t entries = rows_.size() * columns_.size();
  entries_so_far_ += entries;
  if (entries_so_far_ > kMaxEntries ||
      rows_.size() * question_.groups().size() > kMaxKept ||
      !budget_.Spend(kWorkOfCall + kWorkOfEntry * entries +
                     rows_.size() * question_.groups().size())) {
    return false;
  }
  basis_.rows.resize(rows_.size() + 1, Standing::kBasic);
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
  min_c_ = solution->objective;
  best_.nodes.assign(question_.groups().size(), 0.0);
  for (std::size_t g = 0; g < best_.nodes.size(); ++g) {
    if (part_[g] == Part::kAll) {
      best_.nodes[g] = question_.groups()[g].capacity;
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    best_.nodes[columns_[i]] =
        std::clamp(solution->values[i + 1], 0.0,
                   double(question_.groups()[columns_[i]].capacity));
  }
  double sum = 0;
  weights_.assign(rows_.size(), 0.0);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    weights_[row] = std::max(0.0, -solution->row_prices[row + 1]);
    sum += weights_[row];
  }
  if (sum <= 0) return false;
  for (double& weight : weights_) weight /= sum;
  price_of_node_ = solution->row_prices[0];
  KeepBest();
  return true;
}

void ProgrammeOfRows::KeepBest() {
  rows_.SetPrices(weights_, prices_);
  if (best_.weights.empty() || prices_.bound_c > best_.prices.bound_c) {
    best_.prices = prices_;
    best_.weights = weights_;
  }
}

// Groups that were fixed at none though they are cheaper than what the
// programme pays, or at all though they are dearer. False: there are none that
// matter.
bool ProgrammeOfRows::AddColumns() {
  if (min_c_ - prices_.bound_c <= tolerance_k_ / 2) return false;
  std::vector<std::pair<double, std::size_t>>
      wrong;  // by how much, least first
  for (std::size_t g = 0; g < part_.size(); ++g) {
    const double dearer = prices_.of_group[g] - price_of_node_;
    if ((part_[g] == Part::kAll && dearer > 0) ||
        (part_[g] == Part::kNone && dearer < 0)) {
      wrong.emplace_back(-std::abs(dearer) * question_.groups()[g].capacity, g);
    }
  }
  if (wrong.empty()) return false;
  const std::size_t count =
      std::min(wrong.size(), std::max(kColumnsOfRound, columns_.size() / 2));
  std::nth_element(wrong.begin(),
                   wrong.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                   wrong.end());
  for (std::size_t i = 0; i < count; ++i) AddColumn(wrong[i].second);
  return true;
}

// Inlets that these parts make warmer than the programme knows. False: there
// are none that matter.
bool ProgrammeOfRows::AddRows() {
  const std::size_t changed = inlets_.Follow(WattsOf(rows_, best_.nodes));
  budget_.Spend(changed * question_.zone_count());
  const auto inlet_c = inlets_.inlet_c();
  best_.peak_c = PeakOf(inlet_c);
  if (best_.peak_c - best_.prices.bound_c <= tolerance_k_) return false;
  std::vector<std::pair<double, ZoneId>> warm;
  for (ZoneId zone = 0; zone < inlet_c.size(); ++zone) {
    if (inlet_c[zone] > min_c_ + tolerance_k_ / 4 && !rows_.Has(zone)) {
      warm.emplace_back(-inlet_c[zone], zone);
    }
  }
  if (warm.empty()) return false;
  const std::size_t count = std::min(warm.size(), kRowsOfRound);
  std::partial_sort(warm.begin(),
                    warm.begin() + static_cast<std::ptrdiff_t>(count),
                    warm.end());
  for (std::size_t i = 0; i < count; ++i) rows_.Add(warm[i].second);
  return true;
}

bool ProgrammeOfRows::Run(LpRelaxation& result) {
  ChooseRows();
  weights_.assign(1, 1.0);
  KeepBest();
  ChooseColumns();
  basis_.variables.insert(basis_.variables.begin(), Standing::kBasic);
  bool solved = true;
  do {
    solved = SolveOnce();
  } while (solved && (AddColumns() || AddRows()));
  if (best_.nodes.empty()) {
    const std::vector<NodeCount> counts =
        question_.Cheapest(best_.prices.of_group);
    best_.nodes.assign(counts.begin(), counts.end());
  }
  inlets_.Follow(WattsOf(rows_, best_.nodes));
  best_.peak_c = PeakOf(inlets_.inlet_c());
  result = std::move(best_);
  return solved;
}

}  // namespace

void LowerPeakBySteps(const InletConstraints& rows, double tolerance_k,
                      Budget& budget, LpRelaxation& relaxation) {
  // A step is a product with all of D, which may be dense: as many as take a
  // tenth of a second or so, and a few in any case.
  constexpr std::uint64_t kMaxWork = 200'000'000;
  constexpr std::uint64_t kFewSteps = 3;
  constexpr std::uint64_t kManySteps = 100;
  relaxation.method = "first-order";
  const ThermalProblem& question = rows.question();
  const ZoneId zones = question.zone_count();
  FollowedInlets corner(question);
  std::vector<double> nodes = relaxation.nodes;
  FollowedInlets start(question);
  start.Follow(WattsOf(rows, nodes));
  std::vector<double> inlet_c(start.inlet_c().begin(), start.inlet_c().end());
  std::vector<double> weights(zones);
  Prices prices;
  const std::uint64_t max_steps = std::clamp(
      kMaxWork / (std::uint64_t{zones} * zones + 1), kFewSteps, kManySteps);
  for (std::uint64_t step = 0; step < max_steps; ++step) {
    const double peak = PeakOf(inlet_c);
    if (peak < relaxation.peak_c) {
      relaxation.peak_c = peak;
      relaxation.nodes = nodes;
    }
    const double gap = relaxation.peak_c - relaxation.prices.bound_c;
    if (gap <= tolerance_k || !budget.Spend(std::uint64_t{8} * zones)) return;
    const double rounding_k = std::max(gap, tolerance_k) / 8;
    double sum = 0;
    for (ZoneId zone = 0; zone < zones; ++zone) {
      const double below = (inlet_c[zone] - peak) / rounding_k;
      weights[zone] = below > -30 ? std::exp(below) : 0;
      sum += weights[zone];
    }
    for (double& weight : weights) weight /= sum;
    rows.SetPricesOfAll(weights, prices);
    if (prices.bound_c > relaxation.prices.bound_c) {
      relaxation.prices = prices;
      relaxation.weights.clear();
    }
    const std::vector<NodeCount> counts = question.Cheapest(prices.of_group);
    budget.Spend(zones * corner.Follow(WattsOf(rows, counts)));
    const double share = 2.0 / (static_cast<double>(step) + 4);
    for (std::size_t g = 0; g < nodes.size(); ++g) {
      nodes[g] += share * (counts[g] - nodes[g]);
    }
    for (ZoneId zone = 0; zone < zones; ++zone) {
      inlet_c[zone] += share * (corner.inlet_c()[zone] - inlet_c[zone]);
    }
    ++relaxation.rounds;
  }
}

LpRelaxation RelaxPeak(InletConstraints& rows, double tolerance_k,
                       Budget& budget) {
  LpRelaxation relaxation;
  if (!ProgrammeOfRows(rows, tolerance_k, budget).Run(relaxation) &&
      !budget.exhausted()) {
    LowerPeakBySteps(rows, tolerance_k, budget, relaxation);
  }
  return relaxation;
}

}  // namespace coolspan
