// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/bqp_problem.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "policy/uniform_draw.h"

namespace coolspan {
namespace {

class Range {
 public:
  void Add(double value) {
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  double max() const { return max_; }
  // max - min, or max where all values are equal up to rounding.
  double Width() const {
    constexpr double kRounding = 1e-9;
    return max_ - min_ > kRounding * max_ ? max_ - min_ : max_;
  }

 private:
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
};

// The scaled weight of a term; 0 for a term that is always 0.
double Scaled(double weight, double range) {
  return weight > 0 && range > 0 ? weight / range : 0;
}

}  // namespace

BqpProblem::BqpProblem(const Latencies& matrix, const BqpWeights& weights,
                       const BqpHeat& heat, const Choice& choice,
                       Budget& budget)
    : latencies(matrix) {
  AddSites(choice, heat);
  const HeatRise added = AddedHeat(heat);
  MeasureRanges(added, weights, choice.seed, budget);
  // X^T H X / n (equation 9) counts each pair twice.
  const double per_latency =
      Scaled(weights.alpha, communication_range) / size();
  pair_weight = 2 * per_latency;
  const double per_kelvin = Scaled(weights.beta, heat_range_k);
  required_cost =
      per_latency * SelfLatencyTotal(required) + per_kelvin * added.of_required;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sites[i].cost = per_latency * SelfLatencyTotal({&nodes[sites[i].first], 1});
    if (heat.room != nullptr) sites[i].cost += per_kelvin * added.of_site[i];
  }
  zone_cost = added.of_zone;
  for (double& cost : zone_cost) cost *= per_kelvin;
  zone_nodes.resize(zone_cost.size(), 0);
  if (zone_cost.empty()) return;
  for (const BqpSite& site : sites) zone_nodes[site.zone] += site.count;
}

void BqpProblem::AddSites(const Choice& choice, const BqpHeat& heat) {
  const Room* room = heat.room != nullptr ? &heat.room->room() : nullptr;
  if (choice.required_count > 0) required = choice.required.Members();
  nodes_to_choose = choice.nodes - choice.required_count;
  const Room::NodePower* last_power = nullptr;
  choice.available.ForEach([&](NodeId node) {
    if (choice.required_count > 0 && choice.required.Contains(node)) return;
    const std::uint32_t place = latencies.PlaceOf(node);
    const ZoneId zone = room != nullptr ? room->ZoneOf(node) : 0;
    const Room::NodePower* power =
        room != nullptr ? &room->PowerOf(node) : nullptr;
    if (sites.empty() || sites.back().place != place ||
        sites.back().zone != zone || power != last_power) {
      sites.push_back(
          {place, zone, static_cast<NodeCount>(nodes.size()), 0, 0});
    }
    ++sites.back().count;
    nodes.push_back(node);
    last_power = power;
  });
}

BqpProblem::HeatRise BqpProblem::AddedHeat(const BqpHeat& heat) const {
  HeatRise added;
  if (heat.room == nullptr) return added;
  const Room& room = heat.room->room();
  const auto of_node = [&](NodeId node) {
    return heat.inlet_sum_k_per_w[room.ZoneOf(node)] *
           room.AddedWatts(node, heat.communication_share);
  };
  for (const BqpSite& site : sites) {
    added.of_site.push_back(of_node(nodes[site.first]));
  }
  for (const NodeId node : required) added.of_required += of_node(node);
  if (room.idle_on()) return added;
  added.of_zone.resize(room.zone_count());
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    added.of_zone[zone] =
        heat.inlet_sum_k_per_w[zone] * heat.room->WakingWatts(zone);
  }
  for (const NodeId node : required) {
    added.of_required += std::exchange(added.of_zone[room.ZoneOf(node)], 0.0);
  }
  return added;
}

double BqpProblem::SelfLatencyTotal(std::span<const NodeId> node_ids) const {
  double total = 0;
  if (latencies.measured() != nullptr) {
    for (const NodeId node : node_ids) {
      total += latencies.measured()->WithItself(node);
    }
  }
  return total;
}

// Each set is the prefix of a further partial shuffle of the same nodes. With
// only one weighted term its scale does not affect the choice, and kMinSets are
// drawn.
void BqpProblem::MeasureRanges(const HeatRise& added, const BqpWeights& weights,
                               std::uint64_t seed, Budget& budget) {
  const bool both = weights.alpha > 0 && weights.beta > 0;
  constexpr std::size_t kMinSets = 2;
  constexpr std::size_t kMinSetsForBoth = 16;
  constexpr std::size_t kMaxSets = 64;
  constexpr std::size_t kWork = std::size_t{1} << 17;
  const std::uint64_t n = size();
  const std::uint64_t work =
      latencies.grid() != nullptr ? n : std::max(n, n * n / 64);
  const std::size_t sets =
      both ? std::clamp<std::size_t>(kWork / std::max<std::uint64_t>(work, 1),
                                     kMinSetsForBoth, kMaxSets)
           : kMinSets;
  std::vector<NodeId> drawn = required;
  drawn.insert(drawn.end(), nodes.begin(), nodes.end());
  std::vector<std::uint32_t> site_of;
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    site_of.insert(site_of.end(), sites[i].count, i);
  }
  std::vector<std::uint32_t> last_set_in_zone(added.of_zone.size(), 0);
  std::mt19937_64 random(seed);
  Range communication;
  Range kelvins;
  for (std::uint32_t set = 1; set <= sets; ++set) {
    if (!budget.Spend(work) && set > kMinSets) break;
    double heat_k = added.of_required;
    for (NodeCount i = 0; i < nodes_to_choose; ++i) {
      const NodeCount from =
          i + UniformDraw(random, static_cast<NodeCount>(nodes.size()) - i);
      std::swap(site_of[i], site_of[from]);
      std::swap(drawn[required.size() + i], drawn[required.size() + from]);
      if (added.of_site.empty()) continue;
      heat_k += added.of_site[site_of[i]];
      if (last_set_in_zone.empty()) continue;
      const ZoneId zone = sites[site_of[i]].zone;
      if (std::exchange(last_set_in_zone[zone], set) != set) {
        heat_k += added.of_zone[zone];
      }
    }
    const std::span<const NodeId> chosen(drawn.data(), n);
    communication.Add(
        (2 * latencies.PairTotal(chosen) + SelfLatencyTotal(chosen)) /
        static_cast<double>(n));
    kelvins.Add(heat_k);
  }
  communication_range = communication.Width();
  if (!added.of_site.empty()) heat_range_k = kelvins.Width();
  constexpr double kRounding = 1e-12;
  rounding =
      kRounding *
      (1 + Scaled(weights.alpha * communication.max(), communication_range) +
       Scaled(weights.beta * kelvins.max(), heat_range_k));
}

double BqpProblem::ObjectiveOf(std::span<const BqpTaken> taken) const {
  double cost = required_cost;
  std::vector<bool> zone_on(zone_cost.size(), false);
  for (const BqpTaken& part : taken) {
    const BqpSite& site = sites[part.site];
    cost += part.nodes * site.cost;
    if (zone_cost.empty() || zone_on[site.zone]) continue;
    zone_on[site.zone] = true;
    cost += zone_cost[site.zone];
  }
  return pair_weight * latencies.PairTotal(NodesOf(taken)) + cost;
}

std::vector<NodeId> BqpProblem::NodesOf(std::span<const BqpTaken> taken) const {
  std::vector<NodeId> chosen = required;
  for (const BqpTaken& part : taken) {
    const NodeId* first = &nodes[sites[part.site].first];
    chosen.insert(chosen.end(), first, first + part.nodes);
  }
  return chosen;
}

double BqpProblem::ZoneShare(const BqpSite& site, NodeCount max_nodes) const {
  if (zone_cost.empty()) return 0;
  return zone_cost[site.zone] / std::min(max_nodes, zone_nodes[site.zone]);
}

}  // namespace coolspan
