// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_EVENT_COUNTS_H_
#define COOLSPAN_SERVICE_JOURNAL_EVENT_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "service/journal/cluster_event.h"

namespace coolspan {

// What EventCounts counts, in the order of its counts. "disputed" is the number
// of jobs that became disputed.
inline constexpr std::string_view kCountedEvents[] = {
    "commit", "release", "resize",       "suspend", "expire",
    "sync",   "dispute", "availability", "mode"};

// Numbers of events by cluster and kind, and mean distances of decisions by
// policy, since the daemon started. Thread-safe.
class EventCounts {
 public:
  using Counts = std::array<std::uint64_t, std::size(kCountedEvents)>;
  // Sum over decisions of their mean distance, in hops.
  struct Distances {
    std::uint64_t decisions = 0;
    double hops = 0;
  };
  // Decisions of further policies are counted as "other".
  static constexpr std::size_t kMaxPolicies = 64;

  // pairwise_mean: of a decision, if known.
  void Add(const ClusterEvent& event, std::optional<double> pairwise_mean);
  Counts Of(const std::string& cluster) const;
  std::map<std::string, Distances> DistancesByPolicy() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Counts> clusters_;
  std::map<std::string, Distances> policies_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_EVENT_COUNTS_H_
