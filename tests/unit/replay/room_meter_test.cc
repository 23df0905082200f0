// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/room_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "room_machine.h"

namespace coolspan {
namespace {

constexpr NodeCount kNodes = 12;

std::shared_ptr<const Room> SmallRoom(ZoneId zones, bool idle_on) {
  Room::Description room =
      RoomDescription(kNodes, zones, RandomHeat(zones, 0.002, 5));
  room.idle_on = idle_on;
  return Room::Create(std::move(room)).value();
}

// Power and inlet temperatures of all zones, computed from the definitions.
struct NaiveRoom {
  double it_w = 0;
  double peak_c = 0;
  double cooling_w = 0;
};
NaiveRoom Naive(const Room& room, const std::vector<float>& share_of) {
  std::vector<double> watts(room.zone_count(), 0);
  std::vector<bool> loaded(room.zone_count(), false);
  for (NodeId node = 0; node < kNodes; ++node) {
    if (share_of[node] < 0) continue;
    watts[room.ZoneOf(node)] += room.AddedWatts(node, share_of[node]);
    loaded[room.ZoneOf(node)] = true;
  }
  NaiveRoom naive;
  naive.peak_c = -1e9;
  for (ZoneId zone = 0; zone < watts.size(); ++zone) {
    if (room.idle_on() || loaded[zone]) watts[zone] += room.IdleWatts(zone);
    naive.it_w += watts[zone];
  }
  for (ZoneId zone = 0; zone < watts.size(); ++zone) {
    double inlet_c = room.supply_c();
    for (ZoneId other = 0; other < watts.size(); ++other) {
      inlet_c += room.heat().At(zone, other) * watts[other];
    }
    naive.peak_c = std::max(naive.peak_c, inlet_c);
  }
  const double supply = room.supply_c() + room.redline_c() - naive.peak_c;
  const auto& [c2, c1, c0] = room.cop();
  naive.cooling_w = naive.it_w / (c2 * supply * supply + c1 * supply + c0);
  return naive;
}

// Random starts and ends of jobs; the reference sums the energy of each second
// of the run.
TEST(RoomMeterTest, EnergyIsTheSumOfEverySecond) {
  for (const ZoneId zones : {12U, 4U}) {
    for (const bool idle_on : {true, false}) {
      const auto room = SmallRoom(zones, idle_on);
      std::mt19937 random(zones + idle_on);
      RoomMeter meter(room, 5'000);
      std::vector<float> share_of(kNodes, -1);
      std::vector<std::size_t> running;
      std::vector<std::vector<NodeId>> nodes_of;
      double it_j = 0;
      double cooling_j = 0;
      for (int second = 5; second < 200; ++second) {
        const TimeMs now_ms = second * TimeMs{1000};
        while (!running.empty() && random() % 4 == 0) {
          const std::size_t job = running.back();
          running.pop_back();
          meter.End(nodes_of[job], now_ms);
          for (const NodeId node : nodes_of[job]) share_of[node] = -1;
        }
        while (random() % 3 == 0) {
          std::vector<NodeId> nodes;
          for (NodeId node = 0; node < kNodes; ++node) {
            if (share_of[node] < 0 && random() % 4 == 0) nodes.push_back(node);
          }
          const float share = static_cast<float>(random() % 5) / 4;
          std::vector<float> with = share_of;
          for (const NodeId node : nodes) with[node] = share;
          const Cooling measured = meter.IfStarted(nodes, share, now_ms);
          const NaiveRoom naive = Naive(*room, with);
          EXPECT_NEAR(measured.it_w, naive.it_w, 0.5);
          EXPECT_NEAR(measured.peak_inlet_c, naive.peak_c, 1e-3);
          EXPECT_NEAR(measured.cooling_w, naive.cooling_w, 0.5);
          if (random() % 2 == 0) continue;  // measured and not started
          share_of = with;
          running.push_back(nodes_of.size());
          nodes_of.push_back(nodes);
          meter.Start(nodes, share, now_ms);
        }
        const NaiveRoom naive = Naive(*room, share_of);
        it_j += naive.it_w;
        cooling_j += naive.cooling_w;
      }
      // Ends what still runs at 200 s.
      while (!running.empty()) {
        meter.End(nodes_of[running.back()], 200'000);
        running.pop_back();
      }
      meter.Start({0}, 0, 200'000);
      EXPECT_NEAR(meter.totals().it_energy_j, it_j, 1e-4 * it_j);
      EXPECT_NEAR(meter.totals().cooling_energy_j, cooling_j, 1e-4 * cooling_j);
    }
  }
}

TEST(RoomMeterTest, SecondsOutsideTheCopModelAreCounted) {
  Room::Description hot = RoomDescription(2, 2, {0.1, 0, 0, 0.1});
  const auto room = Room::Create(std::move(hot)).value();
  RoomMeter meter(room, 0);
  meter.Start({0}, 0, 10'000);  // 300 W warm its inlet by 30 K
  meter.End({0}, 17'000);
  meter.Start({1}, 1, 20'000);  // 200 W
  EXPECT_DOUBLE_EQ(meter.totals().it_energy_j, 200 * 10 + 400 * 7 + 200 * 3);
  EXPECT_DOUBLE_EQ(meter.totals().cop_not_sensible_s, 0);
  meter.End({1}, 21'000);
  Room::Description hotter = RoomDescription(2, 2, {0.2, 0, 0, 0.2});
  RoomMeter other(Room::Create(std::move(hotter)).value(), 0);
  other.Start({0}, 0, 10'000);  // by 60 K: 15 C below freezing
  other.End({0}, 17'000);
  other.Start({0}, 0, 20'000);
  EXPECT_DOUBLE_EQ(other.totals().cop_not_sensible_s, 7);
}

}  // namespace
}  // namespace coolspan
