// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_DECISION_QUEUE_H_
#define COOLSPAN_SERVICE_CLUSTERS_DECISION_QUEUE_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/comm_pattern.h"
#include "service/clusters/decision_config.h"
#include "service/clusters/policy_rules.h"

namespace coolspan {

// Time limits of a call.
struct TimeLimits {
  std::chrono::steady_clock::time_point answer_by;
  // From the start of the policy.
  std::chrono::steady_clock::duration decision;
};

// Allocate calls of a cluster that wait: for the events before them, then for
// their turn, in the order of arrival. Not thread-safe.
class DecisionQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Done = std::function<void(absl::StatusOr<v1::AllocateReply>)>;
  // More than the calls of a Slurm in progress at a time.
  static constexpr std::size_t kMaxCalls = 1024;

  struct Call {
    const v1::AllocateRequest* request;  // until done is called
    TimeLimits limits;
    std::function<bool()> has_left;  // the client waits no longer; or nullptr
    Done done;
    CurrentConfig::Ptr config;
    PolicyChoice choice;
    std::shared_ptr<const CommPattern> pattern;  // of the request; or nullptr
  };
  // To be told so, without the lock that the queue needs.
  struct Ended {
    Done done;
    absl::Status status;
  };
  // Whether the events before a request are applied. Error: it cannot be
  // decided.
  using IsReady =
      std::function<absl::StatusOr<bool>(const v1::AllocateRequest&)>;

  bool is_empty() const { return calls_.empty(); }
  bool is_full() const { return calls_.size() >= kMaxCalls; }
  void Add(Call call) { calls_.push_back(std::move(call)); }
  // Removes the first call that may be decided now; and all before it that
  // have ended, with UNAVAILABLE (deadline exceeded), CANCELLED (the client
  // has left) or the error of is_ready.
  std::optional<Call> TakeNext(Clock::time_point now, const IsReady& is_ready,
                               std::vector<Ended>& ended);
  // Removes all calls that have ended.
  void TakeEnded(Clock::time_point now, const IsReady& is_ready,
                 std::vector<Ended>& ended);
  // Removes all calls.
  void EndAll(const absl::Status& status, std::vector<Ended>& ended);
  // When to look again at calls that wait for events.
  Clock::time_point NextLook(Clock::time_point now) const;

 private:
  std::deque<Call> calls_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_DECISION_QUEUE_H_
