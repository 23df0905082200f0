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
  // The last datatype and its size.
  MPI_Datatype type;
  uint64_t type_bytes;
  uint32_t type_generation;  // 0: none
  // > 0: in a call of the Fortran interface, which may call the C interface.
  int inside_fortran;
};

// The library is loaded with the program: its thread-local storage needs no
// function call.
extern _Thread_local struct ThreadState thread_state
    __attribute__((tls_model("initial-exec")));
// From MPI_Init to MPI_Finalize.
extern _Atomic bool recording;
// Changes before a datatype is freed, whose handle MPI may give to another one.
// Never 0.
extern _Atomic uint32_t types_generation;
void ForgetTypes(void);

// Returns the size of the type and remembers it.
uint64_t FindTypeBytes(MPI_Datatype type);

static inline uint64_t TypeBytes(MPI_Datatype type) {
  const struct ThreadState* const state = &thread_state;
  if (state->type == type &&
      state->type_generation ==
          atomic_load_explicit(&types_generation, memory_order_relaxed)) {
    return state->type_bytes;
  }
  return FindTypeBytes(type);
}

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
