// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/large_room.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "policy/joint/hybrid.h"
#include "policy/stream/hop_value.h"
#include "policy/thermal/mpit_nodes.h"
#include "policy/thermal/recirculation_sums.h"

namespace coolspan {
namespace {

// Parts of the free nodes, those that add least heat, among which compact nodes
// are sought.
constexpr std::array kCoolParts = {0.5, 0.25};
// The shares of the remaining budget for the most compact nodes, for each of
// these parts, for mpit and for hybrid.
constexpr double kCompactShare = 0.5;
constexpr double kSearchShare = 0.3;
constexpr double kMpitShare = 0.25;
constexpr double kHybridShare = 0.4;

}  // namespace

// One decision.
class LargeRoom::Decision {
 public:
  Decision(const LargeRoom& of, const MachineView& view, const Request& request,
           const Choice& choice, Budget& budget)
      : of_(of),
        view_(view),
        choice_(choice),
        budget_(budget),
        share_(ShareOf(view, request)) {}

  // The first one is the most compact.
  void Add(std::vector<NodeId> nodes);
  void AddMpit();
  void AddHybrid();
  void AddCompactIn(double part, Compact compact);
  std::vector<NodeId> Best(Trace& trace);

 private:
  double MeanHops(const std::vector<NodeId>& nodes) const;

  const LargeRoom& of_;
  const MachineView& view_;
  const Choice& choice_;
  Budget& budget_;
  const double share_;
  double watts_per_hop_ = 0;
  double least_w_ = std::numeric_limits<double>::infinity();
  std::vector<NodeId> best_;
  std::int64_t candidates_ = 0;
};

double LargeRoom::Decision::MeanHops(const std::vector<NodeId>& nodes) const {
  if (nodes.size() < 2) return 0;
  const auto n = static_cast<double>(nodes.size());
  return 2 * static_cast<double>(view_.topology().PairwiseTotal(nodes)) /
         (n * (n - 1));
}

void LargeRoom::Decision::Add(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  const double mean = MeanHops(nodes);
  if (candidates_ == 0 && mean > 0) {
    watts_per_hop_ = of_.curve_.NodeWatts(*view_.room(), choice_.available,
                                          share_, of_.heat_) *
                     static_cast<double>(nodes.size()) *
                     std::max(share_, kMinShare) / mean;
  }
  ++candidates_;
  const double cost_w =
      watts_per_hop_ * mean +
      of_.heat_.heat * of_.curve_.WattsWith(*view_.room(), nodes, share_);
  if (candidates_ > 1 && cost_w >= least_w_) return;
  least_w_ = cost_w;
  best_ = std::move(nodes);
}

void LargeRoom::Decision::AddMpit() {
  if (!budget_.Spend(choice_.nodes)) return;
  Add(MpitNodes(*view_.room(), choice_, share_, of_.column_sums_, kMpitShare,
                budget_));
}

void LargeRoom::Decision::AddHybrid() {
  if (!budget_.Spend(choice_.nodes)) return;
  Add(HybridNodes(*of_.hybrid_,
                  {view_, *view_.room(), share_, choice_, budget_},
                  kHybridShare));
}

void LargeRoom::Decision::AddCompactIn(double part, Compact compact) {
  const Room& room = view_.room()->room();
  std::vector<NodeId> nodes = choice_.available.Members();
  const auto wanted = std::max<std::size_t>(
      choice_.nodes,
      static_cast<std::size_t>(part * static_cast<double>(nodes.size())));
  if (wanted >= nodes.size() || !budget_.Spend(nodes.size())) return;
  const auto heat_of = [&](NodeId node) {
    return of_.column_sums_[room.ZoneOf(node)] * room.AddedWatts(node, share_);
  };
  std::nth_element(nodes.begin(),
                   nodes.begin() + static_cast<std::ptrdiff_t>(wanted),
                   nodes.end(), [&](NodeId a, NodeId b) {
                     const double heat_a = heat_of(a);
                     const double heat_b = heat_of(b);
                     return heat_a != heat_b ? heat_a < heat_b : a < b;
                   });
  nodes.resize(wanted);
  NodeSet cool(choice_.available.size(), nodes);
  if (choice_.required_count > 0) cool |= choice_.required;
  Budget searching = budget_.Part(kSearchShare);
  Add(compact({cool, choice_.required, choice_.required_count, choice_.nodes,
               choice_.seed},
              searching));
  budget_.Take(searching);
}

std::vector<NodeId> LargeRoom::Decision::Best(Trace& trace) {
  trace.Note("watts_per_hop", watts_per_hop_);
  trace.Note("cost_w", least_w_);
  trace.Note("candidates", candidates_);
  return std::move(best_);
}

LargeRoom::LargeRoom(const Machine& machine, const HeatWeights& heat)
    : curve_(*machine.room()),
      heat_(heat),
      column_sums_(RecirculationSums(*machine.room())),
      hybrid_(NewHybrid(machine)) {}

std::vector<NodeId> LargeRoom::Choose(const MachineView& view,
                                      const Request& request,
                                      const Choice& choice, Compact compact,
                                      Budget& budget, Trace& trace) const {
  Decision decision(*this, view, request, choice, budget);
  Budget searching = budget.Part(kCompactShare);
  decision.Add(compact(choice, searching));
  budget.Take(searching);
  decision.AddMpit();
  decision.AddHybrid();
  for (const double part : kCoolParts) decision.AddCompactIn(part, compact);
  return decision.Best(trace);
}

}  // namespace coolspan
