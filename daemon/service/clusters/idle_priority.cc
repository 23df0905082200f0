// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/idle_priority.h"

#include <sched.h>

#include <system_error>
#include <thread>

namespace coolspan {

void RunAtIdlePriority(absl::FunctionRef<void()> work) {
  std::thread thread;
  try {
    thread = std::thread([work] {
      // Where it is refused, the work is done all the same.
      const sched_param no_priority{};
      sched_setscheduler(0, SCHED_IDLE, &no_priority);
      work();
    });
  } catch (const std::system_error&) {
    work();
    return;
  }
  thread.join();
}

}  // namespace coolspan
