// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/event_counts.h"

#include <variant>

namespace coolspan {
namespace {

// Indices of kCountedEvents; the first ones are those of EventKind.
enum Counted : std::size_t {
  kCountedExpire = 4,
  kCountedSync,
  kCountedDispute,
  kCountedAvailability,
  kCountedMode,
};

class EventCounter {
 public:
  explicit EventCounter(EventCounts::Counts& counts) : counts_(counts) {}

  void operator()(const Decided&) {}
  void operator()(const JobEvent& event) {
    ++counts_[static_cast<std::size_t>(event.kind)];
    counts_[kCountedDispute] += event.disputed;
  }
  void operator()(const Expired&) { ++counts_[kCountedExpire]; }
  void operator()(const Synced&) { ++counts_[kCountedSync]; }
  void operator()(const AvailabilityChanged&) {
    ++counts_[kCountedAvailability];
  }
  void operator()(const ModeSet&) { ++counts_[kCountedMode]; }
  void operator()(const Removed&) {}

 private:
  EventCounts::Counts& counts_;
};

}  // namespace

void EventCounts::Add(const ClusterEvent& event,
                      std::optional<double> pairwise_mean) {
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<Removed>(event.what)) {
    clusters_.erase(event.cluster);
    return;
  }
  std::visit(EventCounter(clusters_[event.cluster]), event.what);
  const auto* const decided = std::get_if<Decided>(&event.what);
  if (decided == nullptr || !pairwise_mean.has_value()) return;
  const std::string& policy = decided->decision->policy;
  const bool is_known = policies_.contains(policy);
  // One of them is "other".
  const bool fits = policies_.size() < kMaxPolicies - 1;
  Distances& distances = policies_[is_known || fits ? policy : "other"];
  ++distances.decisions;
  distances.hops += *pairwise_mean;
}

EventCounts::Counts EventCounts::Of(const std::string& cluster) const {
  const std::lock_guard lock(mutex_);
  const auto found = clusters_.find(cluster);
  return found == clusters_.end() ? Counts{} : found->second;
}

std::map<std::string, EventCounts::Distances> EventCounts::DistancesByPolicy()
    const {
  const std::lock_guard lock(mutex_);
  return policies_;
}

}  // namespace coolspan
