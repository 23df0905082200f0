// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_FAKE_STORES_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_FAKE_STORES_H_

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/journal/journal.h"
#include "state/decision_archive.h"
#include "state/ledger_store.h"

namespace coolspan {

// Fails or waits when told to.
struct FakeDisk {
  std::atomic<bool> paused = false;
  std::atomic<bool> failing = false;
  absl::Status failure = absl::UnavailableError("no space");
  std::atomic<int> writes = 0;

  absl::Status Write() {
    while (paused) std::this_thread::yield();
    ++writes;
    return failing ? failure : absl::OkStatus();
  }
};

// Remembers what was written.
class FakeLedgerStore final : public LedgerStore {
 public:
  absl::StatusOr<std::uint64_t> BeginTerm() override { return 1; }
  absl::StatusOr<std::vector<StoredCluster>> Load() override {
    return std::vector<StoredCluster>();
  }
  std::vector<absl::Status> Write(
      std::span<const TermChanges> writes) override {
    const absl::Status status = disk.Write();
    std::vector<absl::Status> results(writes.size(), status);
    if (!status.ok()) return results;
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (writes[i].term < min_term) {
        results[i] = absl::AbortedError("not leader");
        continue;
      }
      if (writes[i].cluster == refused_cluster) {
        results[i] = absl::InvalidArgumentError("too large");
        continue;
      }
      for (const LedgerChange& change : writes[i].changes) Note(change);
    }
    return results;
  }
  absl::Status SaveLearned(const StoredLearning& learning) override {
    if (absl::Status status = disk.Write(); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    if (!learned_failure.ok()) return learned_failure;
    learned.push_back(learning);
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<StoredLearning>> LoadLearned() override {
    return std::vector<StoredLearning>();
  }
  absl::Status MakeDurable() override { return sync.Write(); }

  FakeDisk disk;
  FakeDisk sync;
  std::mutex mutex;
  int syncs = 0;
  std::vector<std::string> modes;
  std::vector<std::uint32_t> jobs;
  std::vector<StoredLearning> learned;
  std::atomic<std::uint64_t> min_term = 0;
  std::string refused_cluster;
  absl::Status learned_failure;

 private:
  void Note(const LedgerChange& change) {
    if (change.synced.has_value()) ++syncs;
    if (change.mode.has_value()) modes.push_back(*change.mode);
    for (const StoredHolding& held : change.held) {
      jobs.push_back(held.job.job_id);
    }
  }
};

class FakeArchive final : public DecisionArchive {
 public:
  absl::Status Write(std::span<const ArchiveChange> changes) override {
    if (absl::Status status = disk.Write(); !status.ok()) return status;
    const std::lock_guard lock(mutex);
    wrote_beside_removal |= to_remove > 0;
    for (const ArchiveChange& change : changes) {
      outcomes += change.outcomes.size();
      decisions.insert(decisions.end(), change.decisions.begin(),
                       change.decisions.end());
      starts.insert(starts.end(), change.starts.begin(), change.starts.end());
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
  absl::StatusOr<std::vector<StoredStart>> LatestStarts(
      const std::string&, std::span<const JobKey>) override {
    return std::vector<StoredStart>();
  }
  absl::StatusOr<std::vector<StoredStart>> RecentStartsOf(
      const std::string&) override {
    return std::vector<StoredStart>();
  }
  absl::StatusOr<StoredHistory> History(const std::string&, const HistoryQuery&,
                                        std::size_t) override {
    return StoredHistory{};
  }
  absl::StatusOr<TimeMs> LastRecorded() override { return TimeMs{0}; }
  absl::StatusOr<std::size_t> Forget(TimeMs before_ms, std::size_t) override {
    forgotten_before_ms = before_ms;
    return 0;
  }

  absl::Status BeginRemoval(const std::string& cluster) override {
    const std::lock_guard lock(mutex);
    removals.push_back(cluster);
    return absl::OkStatus();
  }
  absl::StatusOr<std::size_t> ContinueRemovals(std::size_t limit) override {
    const std::lock_guard lock(mutex);
    const std::size_t removed = std::min(limit, to_remove);
    to_remove -= removed;
    return removed;
  }
  ArchiveCondition Condition() const override { return {}; }

  FakeDisk disk;
  std::mutex mutex;
  std::size_t outcomes = 0;
  std::vector<StoredDecision> decisions;
  std::vector<StoredStart> starts;
  std::atomic<TimeMs> forgotten_before_ms = 0;
  std::vector<std::string> removals;
  std::size_t to_remove = 0;  // rows of removed clusters
  bool wrote_beside_removal = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_FAKE_STORES_H_
