// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_STATUS_LINE_H_
#define COOLSPAN_REPLAY_STATUS_LINE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace coolspan {

// A line on a terminal that is redrawn while the object lives and erased when
// it is destroyed. Work that ends within the delay shows nothing. Nothing else
// may write to out meanwhile.
class StatusLine {
 public:
  static constexpr std::chrono::seconds kDefaultDelay{2};

  // text: the line, printable ASCII without line breaks; called from the
  // object's own thread.
  StatusLine(std::ostream& out, std::function<std::string()> text,
             std::chrono::milliseconds delay = kDefaultDelay);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

 private:
  void Run(std::chrono::milliseconds delay);

  std::ostream& out_;
  const std::function<std::string()> text_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_STATUS_LINE_H_
