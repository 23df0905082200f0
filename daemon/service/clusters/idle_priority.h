// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_IDLE_PRIORITY_H_
#define COOLSPAN_SERVICE_CLUSTERS_IDLE_PRIORITY_H_

#include "absl/functional/function_ref.h"

namespace coolspan {

// Calls work on a thread that runs only while no other thread needs its core
// (SCHED_IDLE, see sched(7)) and only on half of the cores, as do the threads
// that work starts. Returns when it is done; rethrows its exception. Without
// such a thread, on the caller's.
void RunAtIdlePriority(absl::FunctionRef<void()> work);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_IDLE_PRIORITY_H_
