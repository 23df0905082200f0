// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_REPORT_TURNS_H_
#define COOLSPAN_SERVICE_RPC_REPORT_TURNS_H_

#include <chrono>
#include <cstddef>
#include <functional>

#include "absl/status/statusor.h"
#include "service/monitor/reports.h"
#include "service/rpc/peer.h"
#include "service/rpc/turn_queue.h"

namespace coolspan {

// Half of the cores are left to decisions.
std::size_t TurnsAtATime();

// Reports (Status, Explain, Jobs, History) are made a few at a time and at a
// limited rate, whoever asks for them. Thread-safe.
class ReportTurns {
 public:
  using Clock = TurnQueue::Clock;
  static constexpr int kMaxWaiting = 512;
  // How long a report works while others wait.
  static constexpr std::chrono::milliseconds kSlice{5};

  ReportTurns();

  // Waits for a turn, and for the rate of all reports. Errors: TurnQueue's.
  absl::StatusOr<TurnQueue::Turn> Wait(Clock::time_point until,
                                       const std::function<bool()>& has_left);
  // The report that make makes in turn: absl::StatusOr<Reply>(const Pause&).
  // Errors: make's; TurnQueue's; of a pause CANCELLED (the caller has left) and
  // DEADLINE_EXCEEDED.
  template <typename Make>
  auto InTurn(Clock::time_point until, const std::function<bool()>& has_left,
              const Make& make) -> decltype(make(Pause())) {
    auto turn = Wait(until, has_left);
    if (!turn.ok()) return turn.status();
    // Not at idle priority: a decision would wait for a lock that is held
    // there, and on a busy host nobody would see what the daemon does.
    return make([&turn, &has_left, until]() -> absl::Status {
      turn->PassOn();
      if (has_left()) return absl::CancelledError("cancelled");
      if (Clock::now() < until) return absl::OkStatus();
      return absl::DeadlineExceededError("deadline exceeded");
    });
  }
  // Callers without a turn.
  std::size_t waiting() const { return turns_.waiting(); }

 private:
  TurnQueue turns_;
  RateLimit rate_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_REPORT_TURNS_H_
