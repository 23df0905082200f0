// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_ATTEMPTS_H_
#define COOLSPAN_CLIENT_ATTEMPTS_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace coolspan {

// Increasing numbers for the attempts to place each job: the daemon refuses a
// number below the highest it has seen. Numbers start at the clock's
// milliseconds instead of 1, because a restart of the controller loses this
// state and not the daemon's. Thread-safe.
class Attempts {
 public:
  // now_ms: since 1970.
  std::uint64_t Next(std::uint32_t job_id, std::uint32_t restart,
                     std::uint64_t now_ms);
  // Number of stored numbers; for the test that memory is bounded.
  std::size_t Remembered() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> last_;
  std::size_t prune_at_ = 1024;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_ATTEMPTS_H_
