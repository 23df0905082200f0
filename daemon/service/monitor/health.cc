// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/health.h"

#include <fmt/format.h>

#include <utility>

#include "formats/file_error.h"

namespace coolspan {
namespace {

std::int64_t WholeSeconds(Health::Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

Health::Health(const Journal& journal, const Leadership* leadership,
               std::function<Clock::time_point()> clock)
    : journal_(journal),
      leadership_(leadership),
      clock_(std::move(clock)),
      last_tick_(clock_()) {}

void Health::NoteTick() { last_tick_ = clock_(); }

absl::Status Health::Alive() const {
  const Clock::duration age = clock_() - last_tick_.load();
  if (age <= kMaxTickAge) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("the clusters have not been visited for {} s (expected every "
                  "0.25 s)",
                  WholeSeconds(age)));
}

absl::Status Health::Ready() const {
  absl::Status status = Alive();
  if (!status.ok()) return status;
  if (is_drained_) {
    return absl::UnavailableError(
        "the daemon is drained (coolspan drain --undo ends it)");
  }
  if (leadership_ != nullptr) {
    status = leadership_->status();
    if (!status.ok()) return status;
  }
  const LedgerWriter& ledger = journal_.ledger();
  const Clock::duration busy = ledger.busy_for();
  if (busy > kMaxWrite) {
    return absl::UnavailableError(fmt::format(
        "the state has not been written for {} s", WholeSeconds(busy)));
  }
  if (!ledger.health().is_written) {
    return absl::UnavailableError(fmt::format(
        "the state file cannot be written: {}", MessageOf(ledger.status())));
  }
  if (!ledger.disk_health().is_written) {
    return absl::UnavailableError(
        "the state file cannot be synced to the disk");
  }
  return journal_.CheckCapacity();
}

}  // namespace coolspan
