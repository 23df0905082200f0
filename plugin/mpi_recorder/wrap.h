// SPDX-License-Identifier: GPL-3.0-or-later
// What the functions that replace those of MPI share.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_WRAP_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_WRAP_H_

#include "calls.h"
#include "counting.h"
#include "requests.h"
#include "thread_state.h"

#define EXPORTED __attribute__((visibility("default")))

static inline struct Sink ThreadSink(void) {
  return (struct Sink){ThreadTraffic(), false};
}

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_WRAP_H_
