// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/batch_writer.h"

#include <memory>
#include <utility>

namespace coolspan {

std::optional<absl::Status> ResultBy(
    std::chrono::steady_clock::time_point until,
    const std::function<void(std::function<void(const absl::Status&)>)>&
        start) {
  // Outlives a caller that has left.
  struct Waiter {
    std::mutex mutex;
    std::condition_variable ended;
    std::optional<absl::Status> status;
  };
  const auto waiter = std::make_shared<Waiter>();
  start([waiter](const absl::Status& status) {
    const std::lock_guard lock(waiter->mutex);
    // A copy of its own: absl counts users of a status in code that
    // ThreadSanitizer does not see.
    waiter->status = absl::Status(status.code(), status.message());
    waiter->ended.notify_one();
  });
  std::unique_lock lock(waiter->mutex);
  waiter->ended.wait_until(lock, until,
                           [&] { return waiter->status.has_value(); });
  return std::move(waiter->status);
}

}  // namespace coolspan
