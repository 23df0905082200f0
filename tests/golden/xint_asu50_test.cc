// SPDX-License-Identifier: GPL-3.0-or-later
// xint on the 50-chassis room against the plain algorithm: 150 generations of a
// population of 400, every placing worked out anew.
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
constexpr NodeCount kServers = 10;  // of a chassis

// Which chassis is of which type is not published: the first 30 are PowerEdge
// 1955, the others 1855.
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
  return InRoom(*line, std::move(room), {line, &line->topology()});
}

// Algorithm 3 for one job, as it is written.
class PlainXint {
 public:
  PlainXint(const RoomView& view, std::vector<NodeCount> room, NodeCount wanted,
            std::uint32_t seed)
      : view_(view), room_(std::move(room)), wanted_(wanted), random_(seed) {}

  double MpitSolution() {
    constexpr std::size_t kPopulation = 400;
    std::vector<One> pool;
    while (pool.size() < kPopulation) pool.push_back(Rated(Filled()));
    for (int generation = 0; generation < 150; ++generation) {
      std::vector<double> fitness;
      for (const One& one : pool) fitness.push_back(1 / one.peak);
      std::discrete_distribution<std::size_t> wheel(fitness.begin(),
                                                    fitness.end());
      for (std::size_t i = 0; i < kPopulation / 2; ++i) {
        pool.push_back(Rated(Mutated(pool[wheel(random_)].counts)));
        pool.push_back(Rated(
            Mated(pool[wheel(random_)].counts, pool[wheel(random_)].counts)));
      }
      std::stable_sort(
          pool.begin(), pool.end(),
          [](const One& a, const One& b) { return a.peak < b.peak; });
      pool.resize(kPopulation);
    }
    return pool.front().peak;
  }

 private:
  using Counts = std::vector<NodeCount>;
  struct One {
    Counts counts;
    double peak;
  };

  One Rated(Counts counts) const {
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
  Counts Filled() {
    std::vector<ZoneId> order(kChassis);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    Counts counts(kChassis, 0);
    NodeCount left = wanted_;
    for (const ZoneId zone : order) {
      counts[zone] = std::min(left, room_[zone]);
      left -= counts[zone];
    }
    return counts;
  }
  Counts Mutated(Counts counts) {
    const auto in = random_() % kChassis;
    const auto out = random_() % kChassis;
    const NodeCount nodes = std::min(room_[in] - counts[in], counts[out]);
    counts[out] -= nodes;
    counts[in] += nodes;
    return counts;
  }
  // The chassis from one on are as in b; excess goes where most is available.
  Counts Mated(Counts counts, const Counts& b) {
    const auto from = random_() % kChassis;
    std::copy(b.begin() + static_cast<std::ptrdiff_t>(from), b.end(),
              counts.begin() + static_cast<std::ptrdiff_t>(from));
    NodeCount sum = std::accumulate(counts.begin(), counts.end(), 0U);
    while (sum != wanted_) {
      ZoneId most = 0;
      const auto spare = [&](ZoneId zone) {
        return sum > wanted_ ? counts[zone] : room_[zone] - counts[zone];
      };
      for (ZoneId zone = 1; zone < kChassis; ++zone) {
        if (spare(zone) > spare(most)) most = zone;
      }
      const bool too_many = sum > wanted_;
      counts[most] += too_many ? -1U : 1U;
      sum += too_many ? -1U : 1U;
    }
    return counts;
  }

  const RoomView& view_;
  Counts room_;
  NodeCount wanted_;
  std::mt19937 random_;
};

TEST(XintAsu50, NoWarmerThanThePlainAlgorithm) {
  COOLSPAN_NEED_DATA("heat/ASU-D15-50x50.txt");
  const auto machine = Asu50();
  const auto policy =
      MakePolicy("xint", machine, {MakeOrdering(*machine, "row-major").value()})
          .value();
  std::mt19937 random(2);
  for (const NodeCount wanted : {20U, 60U, 150U}) {
    NodeSet free(machine->node_count());
    std::vector<NodeCount> room(kChassis, 0);
    for (NodeId node = 0; node < machine->node_count(); ++node) {
      if (random() % 3 == 0) continue;
      free.Insert(node);
      ++room[node / kServers];
    }
    const RoomWithJobs jobs(*machine, free);
    PlainXint plain(*jobs.view(), room, wanted, wanted);
    Request request;
    request.demand = Demand::Nodes(wanted);
    request.communication_share = 0;
    request.seed = wanted;
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
              plain.MpitSolution() + 1e-9)
        << wanted;
  }
}

}  // namespace
}  // namespace coolspan
