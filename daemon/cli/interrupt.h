// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_INTERRUPT_H_
#define COOLSPAN_CLI_INTERRUPT_H_

#include <csignal>

namespace coolspan {

// Notes the first SIGINT or SIGTERM during its life instead of ending the
// program, which can then clean up; a second one ends it. One object at a time.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  bool is_set() const;

 private:
  struct sigaction before_int_;
  struct sigaction before_term_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_INTERRUPT_H_
