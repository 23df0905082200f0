// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_STORE_HEALTH_H_
#define COOLSPAN_SERVICE_JOURNAL_STORE_HEALTH_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "service/journal/event_log.h"
#include "service/metrics/latency_histogram.h"

namespace coolspan {

// Logs when a store can no longer be written, and when it can again, and counts
// its writes. Time is for the one thread that writes; Read is
// thread-safe.
class StoreHealth {
 public:
  struct Reading {
    bool is_written = true;  // the last write succeeded
    std::uint64_t failures = 0;
    LatencyHistogram::Reading times;  // of all writes
  };

  // log: must outlive the object.
  StoreHealth(std::string store, EventLog& log)
      : store_(std::move(store)), log_(log) {}

  // Calls write(), which returns absl::Status, and notes how it went.
  template <typename Write>
  absl::Status Time(const Write& write) {
    const auto start = std::chrono::steady_clock::now();
    absl::Status status = write();
    times_.Add(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
    Note(status);
    return status;
  }

  Reading Read() const { return {is_written_, failures_, times_.Read()}; }

 private:
  void Note(const absl::Status& status) {
    if (!status.ok()) ++failures_;
    const bool was_written = is_written_.exchange(status.ok());
    if (status.ok() == was_written) return;
    if (status.ok()) {
      log_.Write(spdlog::level::warn, "store",
                 {{"store", store_}, {"state", "written again"}});
    } else {
      log_.Write(spdlog::level::err, "store",
                 {{"store", store_},
                  {"state", "cannot be written"},
                  {"why", std::string(status.message())}});
    }
  }

  const std::string store_;
  EventLog& log_;
  std::atomic<bool> is_written_ = true;
  std::atomic<std::uint64_t> failures_ = 0;
  LatencyHistogram times_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_STORE_HEALTH_H_
