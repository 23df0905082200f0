// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_PASSING_TIME_H_
#define COOLSPAN_CLI_PASSING_TIME_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <string_view>
#include <thread>

#include "replay/progress_bar.h"

namespace coolspan {

// A progress bar for the making of an ordering, of which only the time it may
// take is known: the limit of mip, a few seconds for others. out is not to be
// written to meanwhile.
class PassingTime {
 public:
  PassingTime(std::ostream& out, std::string_view ordering);
  ~PassingTime();
  PassingTime(const PassingTime&) = delete;
  PassingTime& operator=(const PassingTime&) = delete;

 private:
  const std::uint64_t total_;  // tenths of a second
  std::atomic<std::uint64_t> passed_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // guarded by mutex_
  ProgressBar bar_;
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_PASSING_TIME_H_
