// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/report_turns.h"

#include <algorithm>
#include <thread>

namespace coolspan {
namespace {

// For each turn at a time. Each report takes about 0.3 ms of a processor, here
// and in a client on this host: a flood of them must leave some to decisions.
constexpr double kReportsPerS = 1000;
constexpr double kReportsAtOnce = 100;

}  // namespace

std::size_t TurnsAtATime() {
  return std::max(1U, std::thread::hardware_concurrency() / 2);
}

ReportTurns::ReportTurns()
    : turns_({TurnsAtATime(), kMaxWaiting, kSlice}),
      rate_(kReportsPerS * static_cast<double>(TurnsAtATime()),
            kReportsAtOnce) {}

absl::StatusOr<TurnQueue::Turn> ReportTurns::Wait(
    Clock::time_point until, const std::function<bool()>& has_left) {
  auto turn = turns_.Wait(until, has_left);
  // With the turn: those behind wait too, and ask no sooner again.
  if (turn.ok()) std::this_thread::sleep_for(rate_.Reserve());
  return turn;
}

}  // namespace coolspan
