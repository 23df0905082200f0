// SPDX-License-Identifier: GPL-3.0-or-later
// A room that follows jobs as they come and go against the formulas, and what
// it says of a choice against making it.
#include "core/room_state.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "room_machine.h"

namespace coolspan {
namespace {

using Loads = std::vector<NodeLoad>;

Room::Description RandomRoom(std::minstd_rand& random) {
  const auto zones = static_cast<ZoneId>(1 + random() % 6);
  const auto nodes = static_cast<NodeCount>(zones * (1 + random() % 3));
  Room::Description room = RoomDescription(
      nodes, zones,
      RandomHeat(zones, 1e-2, static_cast<std::uint32_t>(random())));
  room.types.push_back({.idle_w = 40, .compute_w = 90.5, .communicate_w = 77});
  for (auto& type : room.type_of) type = random() % 2;
  room.idle_on = random() % 2 == 0;
  return room;
}

// Whole nodes, or a quarter of one.
NodeLoad RandomLoad(std::minstd_rand& random) {
  const float used = random() % 2 == 0 ? 1.0F : 0.25F;
  const float share = static_cast<float>(random() % 5) / 4;
  return {used * (1 - share), used * share};
}

// Watts of each zone by joint-allocation-sst, section 3.4, and
// spatio-temporal-scint, equation 7.
std::vector<double> NaiveWatts(const Room::Description& room,
                               const Loads& loads) {
  std::vector<double> watts(room.heat->zone_count(), 0.0);
  std::vector<bool> is_on(watts.size(), room.idle_on);
  for (NodeId node = 0; node < loads.size(); ++node) {
    if (!(loads[node] == NodeLoad{})) is_on[room.zone_of[node]] = true;
  }
  for (NodeId node = 0; node < loads.size(); ++node) {
    if (!is_on[room.zone_of[node]]) continue;
    const Room::NodePower& type = room.types[room.type_of[node]];
    const NodeLoad& load = loads[node];
    watts[room.zone_of[node]] +=
        (1 - load.compute - load.communicate) * type.idle_w +
        load.compute * type.compute_w + load.communicate * type.communicate_w;
  }
  return watts;
}

RC_GTEST_PROP(RoomStateProperty, IsWhatTheFormulasSay, (std::uint32_t seed)) {
  std::minstd_rand random(seed);
  const Room::Description description = RandomRoom(random);
  const auto room = Room::Create(description).value();
  RoomState state(room);
  Loads loads(room->node_count());
  for (int step = 0; step < 4; ++step) {
    for (NodeLoad& load : loads) {
      if (random() % 2 == 0) continue;
      load = load == NodeLoad{} ? RandomLoad(random) : NodeLoad{};
    }
    state.Follow(loads);
  }
  const RoomView view = state.view();
  const std::vector<double> watts = NaiveWatts(description, loads);
  double it_w = 0;
  for (ZoneId zone = 0; zone < room->zone_count(); ++zone) {
    RC_ASSERT(std::abs(view.power_w()[zone] - watts[zone]) <= 0.04);
    it_w += view.power_w()[zone];
    double inlet_c = room->supply_c();
    for (ZoneId other = 0; other < room->zone_count(); ++other) {
      inlet_c += room->heat().At(zone, other) * watts[other];
    }
    RC_ASSERT(std::abs(view.inlet_c()[zone] - inlet_c) <= 0.04);
  }
  RC_ASSERT(view.it_w() == it_w);

  // From nothing, to the last bit.
  RoomState fresh(room);
  fresh.Follow(loads);
  const RoomView at_once = fresh.view();
  RC_ASSERT(std::equal(view.inlet_c().begin(), view.inlet_c().end(),
                       at_once.inlet_c().begin()));
}

RC_GTEST_PROP(RoomStateProperty, ForecastEqualsTheStateAfterTheJobs,
              (std::uint32_t seed)) {
  std::minstd_rand random(seed);
  const auto room = Room::Create(RandomRoom(random)).value();
  RoomState state(room);
  Loads loads(room->node_count());
  std::vector<RoomState::MoreLoad> more;
  for (NodeId node = 0; node < room->node_count(); ++node) {
    const auto what = random() % 4;
    if (what == 0) loads[node] = RandomLoad(random);
    if (what == 1) more.push_back({node, RandomLoad(random)});
    if (what == 2) {  // a share beside another
      loads[node] = {0.25F, 0};
      more.push_back({node, {0.25F, 0.5F}});
    }
  }
  state.Follow(loads);
  const RoomState::Forecast forecast = state.With(more);
  for (const RoomState::MoreLoad& one : more) {
    loads[one.node].compute += one.load.compute;
    loads[one.node].communicate += one.load.communicate;
  }
  state.Follow(loads);
  const RoomView then = state.view();
  RC_ASSERT(forecast.it_w == then.it_w());
  const double peak_c =
      *std::max_element(then.inlet_c().begin(), then.inlet_c().end());
  RC_ASSERT(std::abs(forecast.peak_inlet_c - peak_c) <= 1e-9);
}

}  // namespace
}  // namespace coolspan
