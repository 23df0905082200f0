// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_REPLAY_TERMINAL_H_
#define COOLSPAN_TESTS_UNIT_REPLAY_TERMINAL_H_

#include <atomic>
#include <sstream>

namespace coolspan {

// A stream buffer that a test can wait on until something has been flushed.
class Terminal : public std::stringbuf {
 public:
  void WaitUntilShown() const { shown_.wait(false); }

 private:
  int sync() override {
    shown_ = true;
    shown_.notify_all();
    return 0;
  }
  std::atomic<bool> shown_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_REPLAY_TERMINAL_H_
