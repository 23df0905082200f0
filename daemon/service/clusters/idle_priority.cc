// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/idle_priority.h"

#include <sched.h>

#include <exception>
#include <system_error>
#include <thread>

namespace coolspan {
namespace {

// On wake-up the scheduler prefers a free core, but may put a thread behind
// idle work for several milliseconds, if the two are in different sessions. The
// other half of the cores has no idle work.
void KeepToHalfOfTheCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return;
  int left = CPU_COUNT(&cores) / 2;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores)) continue;
    if (left-- <= 0) CPU_CLR(core, &cores);
  }
  if (CPU_COUNT(&cores) > 0) sched_setaffinity(0, sizeof(cores), &cores);
}

// If a step is refused, the work is done all the same.
void LowerPriority() {
  const sched_param no_priority{};
  sched_setscheduler(0, SCHED_IDLE, &no_priority);
  KeepToHalfOfTheCores();
}

}  // namespace

void RunAtIdlePriority(absl::FunctionRef<void()> work) {
  std::exception_ptr thrown;
  std::thread thread;
  try {
    thread = std::thread([work, &thrown] {
      LowerPriority();
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
    });
  } catch (const std::system_error&) {
    work();
    return;
  }
  thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace coolspan
