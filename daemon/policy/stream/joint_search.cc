// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/joint_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "policy/joint/hybrid.h"
#include "policy/stream/hop_value.h"
#include "policy/stream/joint_growth.h"
#include "policy/stream/lookahead.h"
#include "policy/stream/room_model.h"
#include "policy/thermal/mpit_nodes.h"
#include "policy/thermal/recirculation_sums.h"

namespace coolspan {
namespace {

// Values of a hop, relative to that of the job, at which candidates are grown.
constexpr std::array kHopFactors = {1.0, 0.2, 6.0};
constexpr std::size_t kCentres = 48;       // at most, of each value
constexpr std::size_t kKeptOfFactor = 12;  // candidates
// Budget units of growing candidates and of the lookahead: fewer centres and
// futures on larger machines. Four times as much changed the cooling energy
// in a room of 40 nodes by 0.03 points, and single logs in larger rooms in
// either direction.
constexpr std::uint64_t kGrowthWork = 1'000'000;
constexpr std::uint64_t kLookaheadWork = 2'000'000;
// The share of the remaining budget for mpit, for hybrid, and for growing: the
// candidates must be checked at all inlets and compared afterwards.
constexpr double kThermalShare = 0.25;
constexpr double kGrowthShare = 0.6;

}  // namespace

// One decision.
class JointSearch::Decision {
 public:
  Decision(const JointSearch& search, const MachineView& view,
           const Request& request, const Choice& choice,
           double perimeter_weight, Budget& budget);

  void AddChosen(std::vector<NodeId> nodes);
  void AddMpit();
  void AddHybrid();
  void Grow();
  std::vector<NodeId> Best(Trace& trace);

 private:
  struct Candidate {
    std::vector<NodeId> nodes;  // ascending
    double cost_w = 0;
    // Part of cost_w: heat * the cooling power that the model misses by the
    // inlets that it leaves out and nodes that wake up.
    double missed_w = 0;
  };

  JointState StateNow() const;
  std::vector<EndingJob> Running() const;
  void Add(JointSet set);
  void GrowAt(double factor, std::size_t max_centres, Budget& budget);
  void AddMissed();
  std::optional<std::size_t> BestOverFutures(std::size_t& played);

  const JointSearch& search_;
  const MachineView& view_;
  const Request& request_;
  const Choice& choice_;
  Budget& budget_;
  const double share_;
  const std::vector<NodeId> required_;
  const RoomModel room_;
  const HopValue value_;
  JointJob job_;
  const JointState now_;
  JointGrowth growth_;
  std::vector<Candidate> candidates_;
};

JointSearch::Decision::Decision(const JointSearch& search,
                                const MachineView& view, const Request& request,
                                const Choice& choice, double perimeter_weight,
                                Budget& budget)
    : search_(search),
      view_(view),
      request_(request),
      choice_(choice),
      budget_(budget),
      share_(ShareOf(view, request)),
      required_(choice.required_count > 0 ? choice.required.Members()
                                          : std::vector<NodeId>()),
      room_(*view.room(), choice.available,
            std::max(2 * choice.nodes, view.machine().node_count() / 4),
            share_),
      value_(room_.curve().NodeWatts(*view.room(), choice.available, share_,
                                     search.heat_),
             std::max(share_, kMinShare), search.compact_means_),
      job_{choice.nodes, request.expected_run_ms,
           value_.WattsPerHop(choice.nodes), perimeter_weight},
      now_(StateNow()),
      growth_(search.pairs_, room_, search.weights_, search.heat_.heat) {}

JointState JointSearch::Decision::StateNow() const {
  JointState state;
  const NodeCount nodes = view_.machine().node_count();
  state.is_free.assign(nodes, 0);
  choice_.available.ForEach([&](NodeId node) { state.is_free[node] = 1; });
  state.end_ms.assign(nodes, kUnknownEnd);
  for (NodeId node = 0; node < nodes; ++node) {
    if (state.is_free[node] == 0) state.end_ms[node] = view_.EndOn(node);
  }
  state.now_ms = view_.now_ms();
  state.inlet_c.assign(room_.inlet_c().begin(), room_.inlet_c().end());
  state.it_w = room_.it_w();
  return state;
}

// Busy nodes by the time at which they become free: at least a second from now.
std::vector<EndingJob> JointSearch::Decision::Running() const {
  absl::btree_map<TimeMs, std::vector<NodeId>> by_end;
  for (NodeId node = 0; node < now_.end_ms.size(); ++node) {
    if (now_.end_ms[node] == kUnknownEnd) continue;
    by_end[std::max(now_.end_ms[node], now_.now_ms + kMsPerSecond)].push_back(
        node);
  }
  std::vector<EndingJob> running;
  running.reserve(by_end.size());
  for (auto& [end_ms, nodes] : by_end) {
    running.push_back({end_ms, std::move(nodes)});
  }
  return running;
}

void JointSearch::Decision::Add(JointSet set) {
  for (const Candidate& known : candidates_) {
    if (known.nodes == set.nodes) return;
  }
  candidates_.push_back({std::move(set.nodes), set.cost_w, 0});
}

void JointSearch::Decision::AddChosen(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  budget_.Spend(growth_.WorkOfBegin());
  growth_.Begin(now_, job_, required_);
  const double cost_w = growth_.CostOf(nodes);
  Add({std::move(nodes), cost_w});
}

void JointSearch::Decision::AddMpit() {
  AddChosen(MpitNodes(*view_.room(), choice_, share_, search_.column_sums_,
                      kThermalShare, budget_));
}

void JointSearch::Decision::AddHybrid() {
  if (!budget_.Spend(choice_.nodes)) return;
  AddChosen(HybridNodes(*search_.hybrid_,
                        {view_, *view_.room(), share_, choice_, budget_},
                        kThermalShare));
}

void JointSearch::Decision::Grow() {
  growth_.Begin(now_, job_, required_);
  const std::uint64_t work =
      std::max<std::uint64_t>(kHopFactors.size() * growth_.WorkOfGrow(), 1);
  const std::size_t centres =
      std::min<std::uint64_t>(kCentres, kGrowthWork / work);
  Budget growing = budget_.Part(kGrowthShare);
  for (const double factor : kHopFactors) GrowAt(factor, centres, growing);
  budget_.Take(growing);
}

void JointSearch::Decision::GrowAt(double factor, std::size_t max_centres,
                                   Budget& budget) {
  JointJob job = job_;
  job.watts_per_hop *= factor;
  if (!budget.Spend(growth_.WorkOfBegin())) return;
  growth_.Begin(now_, job, required_);
  std::vector<JointSet> grown;
  const std::span<const NodeId> free = growth_.free_nodes();
  const std::size_t centres = std::min(max_centres, free.size());
  const std::uint64_t work = growth_.WorkOfGrow();
  if (!budget.Spend(work)) return;
  grown.push_back(growth_.Grow(std::nullopt, false));
  grown.back().cost_w = growth_.CostOf(grown.back().nodes);
  for (std::size_t i = 0; i < centres; ++i) {
    if (!budget.Spend(work)) break;
    grown.push_back(growth_.Grow(free[i * free.size() / centres]));
  }
  std::stable_sort(
      grown.begin(), grown.end(),
      [](const JointSet& a, const JointSet& b) { return a.cost_w < b.cost_w; });
  grown.erase(std::unique(grown.begin(), grown.end(),
                          [](const JointSet& a, const JointSet& b) {
                            return a.nodes == b.nodes;
                          }),
              grown.end());
  if (grown.size() > kKeptOfFactor) grown.resize(kKeptOfFactor);
  if (factor != 1) growth_.Begin(now_, job_, required_);
  for (JointSet& set : grown) {
    if (factor != 1) set.cost_w = growth_.CostOf(set.nodes);
    Add(std::move(set));
  }
}

// Adds to the costs what the model of the room misses; the candidates for which
// the budget does not last, those of the highest costs, are dropped.
void JointSearch::Decision::AddMissed() {
  constexpr std::uint64_t kInletsOfUnit = 8;
  const std::uint64_t work =
      1 + choice_.nodes * view_.room()->inlet_c().size() / kInletsOfUnit;
  const double heat = search_.heat_.heat;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    if (!budget_.Spend(work) && i > 0) {
      candidates_.resize(i);
      break;
    }
    const double all_w =
        room_.curve().WattsWith(*view_.room(), candidate.nodes, share_);
    candidate.missed_w =
        heat * (all_w - growth_.CoolingWattsWith(candidate.nodes));
    candidate.cost_w += candidate.missed_w;
  }
}

// Plays futures after all candidates, then as many again after the better half,
// and so on, each time over all futures so far (successive halving). Returns
// the best candidate; nullopt: the budget ended before two had been played. If
// it ends in the first round, the best of those played, which are the ones of
// least cost.
std::optional<std::size_t> JointSearch::Decision::BestOverFutures(
    std::size_t& played) {
  using Ranked = std::pair<double, std::size_t>;  // joules, candidate
  const Futures futures(view_, request_, choice_.nodes);
  Lookahead lookahead({growth_, search_.pairs_, room_, value_,
                       search_.heat_.heat, now_, budget_},
                      Running(), kLookaheadWork);
  const TimeMs horizon_ms = futures.horizon_ms();
  const double horizon_s = static_cast<double>(horizon_ms) / kMsPerSecond;
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    ranked.emplace_back(candidates_[i].missed_w * horizon_s, i);
  }
  const auto round = static_cast<std::size_t>(search_.heat_.futures);
  const auto play = [&](Ranked& one, const Future& future) {
    const auto cost_j = lookahead.CostOf(candidates_[one.second].nodes, job_,
                                         future, horizon_ms);
    if (cost_j.has_value()) one.first += *cost_j;
    return cost_j.has_value();
  };
  for (played = 0; ranked.size() > 1;) {
    std::vector<Future> drawn;
    for (std::size_t f = 0; f < round; ++f) {
      drawn.push_back(futures.Draw(static_cast<std::uint32_t>(played + f)));
    }
    std::vector<Ranked> next;
    for (Ranked one : ranked) {
      std::size_t f = 0;
      while (f < round && play(one, drawn[f])) {
        ++f;
        // The first future shows whether two candidates can be played.
        const bool is_first = played == 0 && next.empty() && f == 1;
        if (is_first && lookahead.work() * round > kLookaheadWork) {
          return std::nullopt;
        }
      }
      if (f < round) break;
      next.push_back(one);
    }
    const bool is_complete = next.size() == ranked.size();
    if (!is_complete && played > 0) break;
    if (next.size() < 2) return std::nullopt;
    played += round;
    ranked = std::move(next);
    std::sort(ranked.begin(), ranked.end());
    if (!is_complete) break;
    ranked.resize((ranked.size() + 1) / 2);
  }
  return ranked.front().second;
}

std::vector<NodeId> JointSearch::Decision::Best(Trace& trace) {
  const auto sort = [this] {
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) {
                return std::tie(a.cost_w, a.nodes) <
                       std::tie(b.cost_w, b.nodes);
              });
  };
  sort();
  AddMissed();
  sort();
  std::size_t played = 0;
  std::size_t best = 0;
  if (search_.heat_.futures >= 1 && request_.expected_run_ms > 0) {
    best = BestOverFutures(played).value_or(0);
  }
  trace.Note("watts_per_hop", job_.watts_per_hop);
  trace.Note("cost_w", candidates_[best].cost_w);
  trace.Note("candidates", static_cast<std::int64_t>(candidates_.size()));
  trace.Note("futures", static_cast<std::int64_t>(played));
  return candidates_[best].nodes;
}

JointSearch::JointSearch(const Machine& machine, const Neighbours& neighbours,
                         const StreamWeights& weights, const HeatWeights& heat)
    : pairs_(machine.topology(), neighbours),
      weights_(weights),
      heat_(heat),
      column_sums_(RecirculationSums(*machine.room())),
      compact_means_(pairs_.CompactMeans()),
      hybrid_(NewHybrid(machine)) {}

std::vector<NodeId> JointSearch::Choose(const MachineView& view,
                                        const Request& request,
                                        const Choice& choice,
                                        double perimeter_weight,
                                        std::vector<NodeId> compact,
                                        Budget& budget, Trace& trace) const {
  Decision decision(*this, view, request, choice, perimeter_weight, budget);
  decision.AddChosen(std::move(compact));
  decision.AddMpit();
  decision.AddHybrid();
  decision.Grow();
  return decision.Best(trace);
}

}  // namespace coolspan
