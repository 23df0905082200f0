// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks in MPI_COMM_WORLD of the processes of a communicator or a window. They
// are an attribute of it and end with it.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_RANKS_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_RANKS_H_

#include <mpi.h>
#include <stdbool.h>

#include "thread_state.h"
#include "traffic.h"

// The destinations of a process in a process topology, in the order of the
// blocks of a neighbourhood collective.
struct Neighbours {
  int count;
  int world[];  // world ranks, kNoProcess or kOutsideWorld
};

struct Ranks {
  int my_rank;  // in the group of this process
  int size;     // of the group that messages go to: the remote one, if any
  bool inter;
  int* world;  // world rank by rank; NULL: the same
  // What this process sent alike to every process but itself, or to every one
  // of higher rank: a collective adds to one counter, not to one a process. MPI
  // allows one thread at a time to call collectives of a communicator.
  struct Counter to_each, to_each_higher;
  _Atomic(struct Neighbours*) neighbours;  // NULL: not asked for
  struct Ranks *next, *previous;           // all of them
};

extern struct Ranks world_ranks;
// Changes whenever ranks are freed, so that no thread uses them by a handle
// that MPI gave to a new communicator.
extern _Atomic uint32_t ranks_generation;

// Makes the attribute keys. Returns an error code of MPI.
int StartRanks(void);
// After recording has ended. Frees the attribute keys; the ranks stay until the
// process ends, because their communicators and windows still refer to them.
void EndRanks(void);

// NULL: no memory.
struct Ranks* FindCommRanks(MPI_Comm comm);
struct Ranks* WinRanks(MPI_Win win);
// NULL: no memory, or no process topology.
const struct Neighbours* NeighboursOf(MPI_Comm comm, struct Ranks* ranks);

static inline struct Ranks* CommRanks(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return &world_ranks;
  const struct ThreadState* const state = &thread_state;
  if (state->ranks != NULL && state->comm == comm &&
      state->generation ==
          atomic_load_explicit(&ranks_generation, memory_order_relaxed)) {
    return state->ranks;
  }
  return FindCommRanks(comm);
}

static inline int WorldRank(const struct Ranks* ranks, int rank) {
  return ranks->world == NULL ? rank : ranks->world[rank];
}

// Adds the counters that the live communicators have.
void AddLiveRanks(struct Traffic* sum);
// Adds `volume` for each process of ranks but this one.
void AddToEach(const struct Ranks* ranks, int first, struct Volume volume,
               struct Traffic* sum);

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_RANKS_H_
