// SPDX-License-Identifier: GPL-3.0-or-later
// What a room adds to a decision (its facts: below 5 us at 40 zones) and to the
// start of a program (the check of D: seconds at 5,000 zones).
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "core/room_state.h"
#include "room_machine.h"
#include "thermal/recirculation.h"

namespace coolspan {
namespace {

std::shared_ptr<const Room> RoomOf(ZoneId zones) {
  return Room::Create(RoomDescription(zones, zones, RandomHeat(zones, 1e-5, 1)))
      .value();
}

// Of a job on a fifth of the nodes.
void BM_Forecast(benchmark::State& state) {
  const auto zones = static_cast<ZoneId>(state.range(0));
  RoomState room(RoomOf(zones));
  std::vector<RoomState::MoreLoad> more;
  for (NodeId node = 0; node < zones; node += 5) {
    more.push_back({node, {0.7F, 0.3F}});
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(room.With(more).peak_inlet_c);
  }
}
BENCHMARK(BM_Forecast)->Arg(40)->Arg(1000)->Unit(benchmark::kMicrosecond);

void BM_PhysicalCheck(benchmark::State& state) {
  const auto zones = static_cast<ZoneId>(state.range(0));
  const std::shared_ptr<const Room> room = RoomOf(zones);
  const std::vector<double> airflow(zones, 100.0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(RecirculationOf(room->heat(), airflow).ok());
  }
}
BENCHMARK(BM_PhysicalCheck)
    ->Arg(40)
    ->Arg(1024)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coolspan
