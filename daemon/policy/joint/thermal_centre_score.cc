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
constexpr std::size_t kCentresOfRound = 64;
// Work units that are worth a thread.
constexpr std::uint64_t kWorkOfPiece = 100'000;
// Rows that are looked at for each centre; the others for those that may win.
constexpr std::size_t kFirstRows = 8;
// Work units between two looks at the budget, about.
constexpr std::uint64_t kWorkOfRound = std::uint64_t{1} << 19;

// What one centre would give.
struct AroundCentre {
  VertexId centre = 0;
  std::uint64_t pairwise_total = 0;
  std::vector<NodeId> nodes;
  double least_peak_c = -std::numeric_limits<double>::infinity();
  std::size_t rows_seen = 0;
  bool is_peak = false;  // least_peak_c is the peak
};

// Watts that some nodes add, by group. One a thread.
class GroupPower {
 public:
  GroupPower(const ThermalProblem& question,
             std::span<const std::uint32_t> group_of)
      : question_(question),
        group_of_(group_of),
        watts_(question.groups().size(), 0.0),
        awake_(question.has_waking() ? question.zone_count() : 0, false) {}

  void Set(std::span<const NodeId> nodes) {
    for (const std::uint32_t g : drawing_) watts_[g] = 0;
    for (const std::uint32_t g : drawing_) Wake(g, false);
    drawing_.clear();
    const auto groups = question_.groups();
    for (const NodeId node : nodes) {
      const std::uint32_t g = group_of_[node];
      if (watts_[g] == 0) drawing_.push_back(g);
      watts_[g] += groups[g].watts;
      if (Wake(g, true)) watts_[g] += question_.WakingWatts(groups[g].zone);
    }
  }
  double RiseK(std::span<const double> k_per_watt) const {
    double rise_k = 0;
    for (const std::uint32_t g : drawing_) rise_k += watts_[g] * k_per_watt[g];
    return rise_k;
  }
  // Calls visit(group, watts) in the order of the nodes.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const std::uint32_t g : drawing_) visit(g, watts_[g]);
  }
  std::vector<ZonePower> Emitters() const {
    std::vector<ZonePower> emitters;
    emitters.reserve(drawing_.size());
    ForEach([&](std::uint32_t group, double watts) {
      emitters.push_back({question_.groups()[group].zone, watts});
    });
    return emitters;
  }

 private:
  // Whether that is new.
  bool Wake(std::uint32_t group, bool awake) {
    if (awake_.empty()) return false;
    const ZoneId zone = question_.groups()[group].zone;
    const bool is_new = awake_[zone] != awake;
    awake_[zone] = awake;
    return is_new;
  }

  const ThermalProblem& question_;
  std::span<const std::uint32_t> group_of_;  // by NodeId
  std::vector<double> watts_;
  std::vector<bool> awake_;             // by zone; empty: none need to wake
  std::vector<std::uint32_t> drawing_;  // groups, in the order of the nodes
};

// The first rows side by side: what a group adds to all of them lies together,
// and is added at once.
class FirstRows {
 public:
  explicit FirstRows(const InletConstraints& rows)
      : count_(std::min(rows.size(), kFirstRows)),
        k_per_watt_(rows.question().groups().size()) {
    base_c_.fill(-std::numeric_limits<double>::infinity());
    for (std::size_t row = 0; row < count_; ++row) {
      base_c_[row] = rows.BaseC(row);
      const std::span<const double> k_per_watt = rows.KPerWatt(row);
      for (std::size_t g = 0; g < k_per_watt_.size(); ++g) {
        k_per_watt_[g][row] = k_per_watt[g];
      }
    }
  }

  std::size_t count() const { return count_; }
  // The warmest of their inlets.
  double WarmestC(const GroupPower& power) const {
    Row rise_k{};
    power.ForEach([&](std::uint32_t group, double watts) {
      const Row& k_per_watt = k_per_watt_[group];
      for (std::size_t row = 0; row < kFirstRows; ++row) {
        rise_k[row] += watts * k_per_watt[row];
      }
    });
    double warmest_c = base_c_[0] + rise_k[0];
    for (std::size_t row = 1; row < kFirstRows; ++row) {
      warmest_c = std::max(warmest_c, base_c_[row] + rise_k[row]);
    }
    return warmest_c;
  }

 private:
  using Row = std::array<double, kFirstRows>;

  std::size_t count_;
  Row base_c_{};
  std::vector<Row> k_per_watt_;  // by group
};

class CentreContest {
 public:
  CentreContest(InletConstraints& rows, Budget& budget)
      : rows_(rows),
        question_(rows.question()),
        budget_(budget),
        group_of_(question_.GroupOfNodes()),
        power_(question_, group_of_) {}

  void Collect(std::span<const VertexId> centres,
               absl::FunctionRef<CollectAround()> collect_around,
               std::uint64_t work_of_centre);
  std::optional<ThermalCentre> Decide();

 private:
  void LookAtRows(const GroupPower& power, std::size_t end,
                  AroundCentre& around) const;
  void WorkOut(AroundCentre& around);
  bool Refine(AroundCentre& around);

  InletConstraints& rows_;
  const ThermalProblem& question_;
  Budget& budget_;
  std::vector<std::uint32_t> group_of_;
  GroupPower power_;
  std::vector<AroundCentre> all_;
  std::uint64_t evaluated_ = 0;
};

// The first rows, up to `end`. power: of its nodes.
void CentreContest::LookAtRows(const GroupPower& power, std::size_t end,
                               AroundCentre& around) const {
  for (; around.rows_seen < end; ++around.rows_seen) {
    const double inlet_c = rows_.BaseC(around.rows_seen) +
                           power.RiseK(rows_.KPerWatt(around.rows_seen));
    around.least_peak_c = std::max(around.least_peak_c, inlet_c);
  }
}

void CentreContest::Collect(std::span<const VertexId> centres,
                            absl::FunctionRef<CollectAround()> collect_around,
                            std::uint64_t work_of_centre) {
  const auto most = std::clamp<std::size_t>(
      kWorkOfRound / std::max<std::uint64_t>(work_of_centre, 1), 1,
      kCentresOfRound);
  const auto piece = std::max<std::size_t>(
      kWorkOfPiece / std::max<std::uint64_t>(work_of_centre, 1), 1);
  std::optional<FirstRows> first_rows;
  for (std::size_t from = 0; from < centres.size(); from = all_.size()) {
    // The first alone, so that there is an answer early.
    const std::size_t count =
        from == 0 ? 1 : std::min(most, centres.size() - from);
    if (!budget_.Spend(count * work_of_centre)) return;
    // Side by side once there are enough of them to be worth it.
    if (from > 0 && !first_rows &&
        centres.size() * question_.wanted() > question_.groups().size()) {
      first_rows.emplace(rows_);
    }
    all_.resize(from + count);
    ForEachPiece(count, piece, [&](std::size_t begin, std::size_t end) {
      GroupPower power(question_, group_of_);
      CollectAround collect = collect_around();
      for (std::size_t i = from + begin; i < from + end; ++i) {
        CollectedNodes collected = collect(centres[i]);
        AroundCentre& around = all_[i];
        around.centre = centres[i];
        around.nodes = std::move(collected.nodes);
        around.pairwise_total = collected.pairwise_total;
        power.Set(around.nodes);
        if (first_rows) {
          around.least_peak_c = first_rows->WarmestC(power);
          around.rows_seen = first_rows->count();
        } else {
          LookAtRows(power, std::min(rows_.size(), kFirstRows), around);
        }
      }
    });
  }
}

void CentreContest::WorkOut(AroundCentre& around) {
  std::vector<double> inlet_c(question_.inlet_c().begin(),
                              question_.inlet_c().end());
  power_.Set(around.nodes);
  question_.heat().AddRise(power_.Emitters(), inlet_c);
  const auto peak = std::max_element(inlet_c.begin(), inlet_c.end());
  around.least_peak_c = *peak;
  around.is_peak = true;
  const auto zone = static_cast<ZoneId>(peak - inlet_c.begin());
  if (!rows_.Has(zone)) rows_.Add(zone);
  ++evaluated_;
}

// One step towards its peak; false where the budget ended.
bool CentreContest::Refine(AroundCentre& around) {
  const std::size_t new_rows = rows_.size() - around.rows_seen;
  if (new_rows > 0) {
    if (!budget_.Spend(around.nodes.size() * (1 + new_rows))) return false;
    power_.Set(around.nodes);
    LookAtRows(power_, rows_.size(), around);
    return true;
  }
  if (!budget_.Spend(std::uint64_t{question_.zone_count()} *
                     (1 + around.nodes.size() / 8))) {
    return false;
  }
  WorkOut(around);
  return true;
}

// Best first: what is known of a centre never ranks it below what it is, so the
// first one whose peak is known has won.
std::optional<ThermalCentre> CentreContest::Decide() {
  if (all_.empty()) return std::nullopt;
  using Rank = std::tuple<std::int64_t, std::uint64_t, VertexId, std::size_t>;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> queue;
  const auto push = [&](std::size_t i) {
    queue.emplace(std::llround(all_[i].least_peak_c / kSamePeakK),
                  all_[i].pairwise_total, all_[i].centre, i);
  };
  for (std::size_t i = 0; i < all_.size(); ++i) push(i);
  std::size_t best = std::get<3>(queue.top());
  while (!all_[best].is_peak && Refine(all_[best])) {
    queue.pop();
    push(best);
    best = std::get<3>(queue.top());
  }
  AroundCentre& won = all_[best];
  if (!won.is_peak) WorkOut(won);
  return ThermalCentre{won.centre,         won.least_peak_c,
                       won.pairwise_total, std::move(won.nodes),
                       all_.size(),        evaluated_};
}

}  // namespace

std::optional<ThermalCentre> FindThermalCentre(
    InletConstraints& rows, std::span<const VertexId> centres,
    absl::FunctionRef<CollectAround()> collect_around,
    std::uint64_t work_of_centre, Budget& budget) {
  CentreContest contest(rows, budget);
  contest.Collect(centres, collect_around, work_of_centre);
  return contest.Decide();
}

}  // namespace coolspan
