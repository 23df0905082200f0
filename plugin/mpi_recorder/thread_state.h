// SPDX-License-Identifier: GPL-3.0-or-later
// What each thread counts, and whether anything is counted.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_THREAD_STATE_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_THREAD_STATE_H_

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "traffic.h"

struct ThreadState {
  struct Traffic* traffic;  // NULL until the thread communicates
  // The last communicator other than MPI_COMM_WORLD and its ranks.
  MPI_Comm comm;
  struct Ranks* ranks;  // NULL: none
  uint32_t generation;
  // > 0: in a call of the Fortran interface, which may call the C interface.
  int inside_fortran;
};

// The library is loaded with the program: its thread-local storage needs no
// function call.
extern _Thread_local struct ThreadState thread_state
    __attribute__((tls_model("initial-exec")));
// From MPI_Init to MPI_Finalize.
extern _Atomic bool recording;

static inline bool Recording(void) {
  return atomic_load_explicit(&recording, memory_order_relaxed) &&
         thread_state.inside_fortran == 0;
}

// Makes the thread's traffic, or takes over that of a thread that has ended.
struct Traffic* NewThreadTraffic(void);

static inline struct Traffic* ThreadTraffic(void) {
  struct Traffic* const traffic = thread_state.traffic;
  return traffic != NULL ? traffic : NewThreadTraffic();
}

// Adds the traffic of all threads; they may be counting.
void AddAllThreads(struct Traffic* sum);

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_THREAD_STATE_H_
