// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PROGRESS_BAR_H_
#define COOLSPAN_REPLAY_PROGRESS_BAR_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ostream>

#include "replay/status_line.h"

namespace coolspan {

// A status line with the number of jobs done out of a total. done must outlive
// the object.
class ProgressBar {
 public:
  ProgressBar(std::ostream& out, const std::atomic<std::uint64_t>& done,
              std::uint64_t total,
              std::chrono::milliseconds delay = StatusLine::kDefaultDelay);

 private:
  const StatusLine line_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PROGRESS_BAR_H_
