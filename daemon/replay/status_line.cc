// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/status_line.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace coolspan {

StatusLine::StatusLine(std::ostream& out, std::function<std::string()> text,
                       std::chrono::milliseconds delay)
    : out_(out),
      text_(std::move(text)),
      thread_([this, delay] { Run(delay); }) {}

StatusLine::~StatusLine() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StatusLine::Run(std::chrono::milliseconds delay) {
  constexpr std::chrono::milliseconds kRedrawInterval{200};
  std::unique_lock lock(mutex_);
  std::size_t width = 0;
  const auto stopped = [this] { return stopped_; };
  for (std::chrono::milliseconds pause = delay;
       !changed_.wait_for(lock, pause, stopped); pause = kRedrawInterval) {
    std::string line = text_();
    width = std::max(width, line.size());
    line.resize(width, ' ');
    out_ << '\r' << line << std::flush;
  }
  if (width > 0) {
    out_ << '\r' << std::string(width, ' ') << '\r' << std::flush;
  }
}

}  // namespace coolspan
