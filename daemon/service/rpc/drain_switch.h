// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_DRAIN_SWITCH_H_
#define COOLSPAN_SERVICE_RPC_DRAIN_SWITCH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "core/types.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/event_log.h"

namespace coolspan {

// Whether decisions are refused, and what is in progress meanwhile. A restart
// ends it. Thread-safe; decisions take no lock here.
class DrainSwitch {
 public:
  // The references must outlive the object. wall_clock_ms: the daemon's clock.
  // on_change: called after each change.
  DrainSwitch(const LiveClusters& clusters, EventLog& log,
              std::function<TimeMs()> wall_clock_ms,
              std::function<void()> on_change)
      : clusters_(clusters),
        log_(log),
        wall_clock_ms_(std::move(wall_clock_ms)),
        on_change_(std::move(on_change)) {}

  // A decision in progress, until the end of the scope.
  class Admission {
   public:
    explicit Admission(DrainSwitch& drain)
        : drain_(drain),
          // Counted first: what is admitted after a change is never missed.
          is_admitted_((++drain.decisions_, drain.since_ms_ == 0)) {}
    ~Admission() { --drain_.decisions_; }
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    // False: the decision must be refused.
    bool is_admitted() const { return is_admitted_; }

   private:
    DrainSwitch& drain_;
    const bool is_admitted_;
  };

  // Returns whether decisions were refused before.
  bool Set(bool is_drained);
  // Since when decisions are refused; 0: they are not.
  TimeMs since_ms() const { return since_ms_; }
  struct InProgress {
    std::uint32_t decisions = 0;
    std::uint32_t tentative = 0;  // answers neither committed nor expired
    bool none() const { return decisions == 0 && tentative == 0; }
  };
  InProgress in_progress() const;
  // Logs once when nothing is in progress any more. To be called from time to
  // time.
  void Tick();

 private:
  const LiveClusters& clusters_;
  EventLog& log_;
  const std::function<TimeMs()> wall_clock_ms_;
  const std::function<void()> on_change_;
  std::atomic<int> decisions_ = 0;
  std::atomic<TimeMs> since_ms_ = 0;
  std::mutex changing_;
  std::atomic<bool> is_end_logged_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_DRAIN_SWITCH_H_
