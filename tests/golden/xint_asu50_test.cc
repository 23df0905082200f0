// SPDX-License-Identifier: GPL-3.0-or-later
// xint on the 50-chassis room against algorithm 3 of spatio-temporal-scint as
// published: 150 generations of 400 placements, each evaluated from scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "core/policy.h"
#include "folders.h"
#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr ZoneId kChassis = 50;
constexpr NodeCount kServers = 10;  // per chassis

// The type of each chassis is not published. Assumption: the first 30 are
// PowerEdge 1955, the other 20 are PowerEdge 1855.
std::shared_ptr<const Machine> Asu50() {
  std::ifstream in(DataDir() / "heat/ASU-D15-50x50.txt");
  std::vector<double> heat;
  for (double entry = 0; in >> entry;) heat.push_back(entry);
  Room::Description room = RoomDescription(kChassis * kServers, kChassis, heat);
  room.types = {{.idle_w = 242, .compute_w = 417, .communicate_w = 417},
                {.idle_w = 182, .compute_w = 254, .communicate_w = 254}};
  for (NodeId node = 0; node < room.type_of.size(); ++node) {
    room.type_of[node] = node / kServers < 30 ? 0 : 1;
  }
  const auto line = MeshMachine(FlatGrid({kChassis * kServers}));
  return InRoom(*line, std::move(room));
}

// Algorithm 3 for one job, as published.
class PublishedXint {
 public:
  PublishedXint(const RoomView& view, std::vector<NodeCount> available,
                NodeCount nodes, std::uint32_t seed)
      : view_(view),
        available_(std::move(available)),
        nodes_(nodes),
        random_(seed) {}

  // Returns the peak inlet.
  double Run() {
    constexpr std::size_t kPopulation = 400;
    std::vector<Individual> pool;
    while (pool.size() < kPopulation) {
      pool.push_back(Evaluate(FillInRandomOrder()));
    }
    for (int generation = 0; generation < 150; ++generation) {
      std::vector<double> fitness;
      for (const Individual& individual : pool) {
        fitness.push_back(1 / individual.peak);
      }
      std::discrete_distribution<std::size_t> wheel(fitness.begin(),
                                                    fitness.end());
      for (std::size_t i = 0; i < kPopulation / 2; ++i) {
        pool.push_back(Evaluate(Mutate(pool[wheel(random_)].counts)));
        pool.push_back(Evaluate(Recombine(pool[wheel(random_)].counts,
                                          pool[wheel(random_)].counts)));
      }
      std::stable_sort(pool.begin(), pool.end(),
                       [](const Individual& a, const Individual& b) {
                         return a.peak < b.peak;
                       });
      pool.resize(kPopulation);
    }
    return pool.front().peak;
  }

 private:
  using Counts = std::vector<NodeCount>;
  struct Individual {
    Counts counts;
    double peak;
  };

  Individual Evaluate(Counts counts) const {
    const Room& room = view_.room();
    std::vector<ZonePower> emitters;
    for (ZoneId zone = 0; zone < kChassis; ++zone) {
      emitters.push_back(
          {zone, counts[zone] * room.AddedWatts(zone * kServers, 0)});
    }
    std::vector<double> inlet_c(view_.inlet_c().begin(), view_.inlet_c().end());
    room.heat().AddRise(emitters, inlet_c);
    return {std::move(counts),
            *std::max_element(inlet_c.begin(), inlet_c.end())};
  }
  Counts FillInRandomOrder() {
    std::vector<ZoneId> order(kChassis);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    Counts counts(kChassis, 0);
    NodeCount left = nodes_;
    for (const ZoneId zone : order) {
      counts[zone] = std::min(left, available_[zone]);
      left -= counts[zone];
    }
    return counts;
  }
  Counts Mutate(Counts counts) {
    const auto in = random_() % kChassis;
    const auto out = random_() % kChassis;
    const NodeCount nodes = std::min(available_[in] - counts[in], counts[out]);
    counts[out] -= nodes;
    counts[in] += nodes;
    return counts;
  }
  // Takes the chassis from a random one on from b. A surplus is removed from
  // the chassis with the most nodes, a shortage added where most are available.
  Counts Recombine(Counts counts, const Counts& b) {
    const auto from = random_() % kChassis;
    std::copy(b.begin() + static_cast<std::ptrdiff_t>(from), b.end(),
              counts.begin() + static_cast<std::ptrdiff_t>(from));
    NodeCount sum = std::accumulate(counts.begin(), counts.end(), 0U);
    while (sum != nodes_) {
      ZoneId adjusted = 0;
      const auto slack = [&](ZoneId zone) {
        return sum > nodes_ ? counts[zone] : available_[zone] - counts[zone];
      };
      for (ZoneId zone = 1; zone < kChassis; ++zone) {
        if (slack(zone) > slack(adjusted)) adjusted = zone;
      }
      const bool over = sum > nodes_;
      counts[adjusted] += over ? -1U : 1U;
      sum += over ? -1U : 1U;
    }
    return counts;
  }

  const RoomView& view_;
  Counts available_;
  NodeCount nodes_;
  std::mt19937 random_;
};

TEST(XintAsu50, PeakIsAtMostThatOfThePublishedAlgorithm) {
  COOLSPAN_NEED_DATA("heat/ASU-D15-50x50.txt");
  const auto machine = Asu50();
  const auto policy =
      MakePolicy("xint", machine, {MakeOrdering(*machine, "row-major").value()})
          .value();
  std::mt19937 random(2);
  for (const NodeCount nodes : {20U, 60U, 150U}) {
    NodeSet free(machine->node_count());
    std::vector<NodeCount> available(kChassis, 0);
    for (NodeId node = 0; node < machine->node_count(); ++node) {
      if (random() % 3 == 0) continue;
      free.Insert(node);
      ++available[node / kServers];
    }
    const RoomWithJobs jobs(*machine, free);
    PublishedXint published(*jobs.view(), available, nodes, nodes);
    Request request;
    request.demand = Demand::Nodes(nodes);
    request.communication_share = 0;
    request.seed = nodes;
    Budget budget;
    Trace trace;
    const auto placed =
        policy->Place(MachineView(*machine, free, {}, 0, jobs.view()), request,
                      budget, trace);
    ASSERT_TRUE(placed.has_value());
    for (const NodeId node : placed->nodes) free.Erase(node);
    const RoomWithJobs after(*machine, free);
    EXPECT_LE(*std::max_element(after.view()->inlet_c().begin(),
                                after.view()->inlet_c().end()),
              published.Run() + 1e-9)
        << nodes;
  }
}

}  // namespace
}  // namespace coolspan
