// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_FAKE_STORE_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_FAKE_STORE_H_

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "state/store.h"

namespace coolspan {

// Remembers what was written, and fails or waits when told to.
class FakeStore final : public Store {
 public:
  absl::StatusOr<std::vector<StoredCluster>> Load() override {
    return std::vector<StoredCluster>();
  }
  absl::Status Write(std::span<const StoredChange> changes) override {
    while (paused) std::this_thread::yield();
    ++writes;
    if (failing) return failure;
    const std::lock_guard lock(mutex);
    for (const StoredChange& change : changes) {
      if (change.synced.has_value()) ++syncs;
      outcomes += change.outcomes.size();
      decisions.insert(decisions.end(), change.decisions.begin(),
                       change.decisions.end());
      if (change.mode.has_value()) modes.push_back(*change.mode);
      starts.insert(starts.end(), change.starts.begin(), change.starts.end());
      for (const StoredHolding& held : change.held) {
        jobs.push_back(held.job.job_id);
      }
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<StoredDecision>> DecisionsOf(
      const std::string&, std::uint32_t, std::size_t) override {
    return std::vector<StoredDecision>();
  }
  absl::StatusOr<std::vector<StoredStart>> StartsOf(const std::string&,
                                                    const StartQuery&,
                                                    std::size_t) override {
    return std::vector<StoredStart>();
  }
  absl::StatusOr<std::vector<StoredStart>> StartsOfHolders(
      const std::string&) override {
    return std::vector<StoredStart>();
  }
  absl::StatusOr<StoredHistory> History(const std::string&, const HistoryQuery&,
                                        std::size_t) override {
    return StoredHistory{};
  }
  absl::StatusOr<std::size_t> Forget(TimeMs before_ms, std::size_t) override {
    forgotten_before_ms = before_ms;
    return 0;
  }

  std::atomic<bool> paused = false;
  std::atomic<bool> failing = false;
  absl::Status failure = absl::UnavailableError("no space");
  std::atomic<int> writes = 0;
  int syncs = 0;
  std::size_t outcomes = 0;
  std::vector<StoredDecision> decisions;
  std::vector<StoredStart> starts;
  std::vector<std::string> modes;
  std::atomic<TimeMs> forgotten_before_ms = 0;
  std::mutex mutex;
  std::vector<std::uint32_t> jobs;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_FAKE_STORE_H_
