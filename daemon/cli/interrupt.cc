// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/interrupt.h"

namespace coolspan {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

InterruptNote::InterruptNote() : before_int_(), before_term_() {
  interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  // The next signal does what it did before.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptNote::~InterruptNote() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptNote::is_set() const { return interrupted != 0; }

}  // namespace coolspan
