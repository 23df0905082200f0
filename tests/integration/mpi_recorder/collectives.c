// SPDX-License-Identifier: GPL-3.0-or-later
// Each collective in MPI_COMM_WORLD: blocking, nonblocking and, in MPI 4,
// persistent (started twice) and with large counts. Root is rank 1; block sizes
// are those of SetBlocks.
#include "traffic.h"

enum { kMost = 64, kRoot = 1 };

// Rank i sends 10 * (i + 1) + j to rank j.
static int send_counts[kMost], send_offsets[kMost], send_bytes[kMost];
static int receive_counts[kMost], receive_offsets[kMost], receive_bytes[kMost];
// A block of j + 3 for rank j, by all.
static int counts[kMost], offsets[kMost];
// As MPI_IN_PLACE needs them: the same in both directions.
static int same_counts[kMost], same_offsets[kMost], same_bytes[kMost];
static MPI_Datatype types[kMost];

static void SetBlocks(void) {
  for (int i = 0; i < size; ++i) {
    send_counts[i] = 10 * (rank + 1) + i;
    receive_counts[i] = 10 * (i + 1) + rank;
    counts[i] = i + 3;
    same_counts[i] = 2 + i + rank;
    send_offsets[i] = receive_offsets[i] = offsets[i] = same_offsets[i] =
        1000 * i;
    send_bytes[i] = receive_bytes[i] = same_bytes[i] = 4000 * i;
    types[i] = MPI_INT;
  }
}

#define RUN_BLOCKING(Name, lower, ...) MPI_##Name(__VA_ARGS__)
#define RUN_NONBLOCKING(Name, lower, ...)  \
  do {                                     \
    MPI_Request request;                   \
    MPI_I##lower(__VA_ARGS__, &request);   \
    MPI_Wait(&request, MPI_STATUS_IGNORE); \
  } while (0)
#define RUN_PERSISTENT(Name, lower, ...)                     \
  do {                                                       \
    MPI_Request request;                                     \
    MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
    for (int i = 0; i < 2; ++i) {                            \
      MPI_Start(&request);                                   \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                 \
    }                                                        \
    MPI_Request_free(&request);                              \
  } while (0)

#ifdef HAVE_PERSISTENT_COLLECTIVES
#define COLLECTIVE(Name, lower, ...)           \
  static void Name(void) {                     \
    SetBlocks();                               \
    RUN_BLOCKING(Name, lower, __VA_ARGS__);    \
  }                                            \
  static void I##lower(void) {                 \
    SetBlocks();                               \
    RUN_NONBLOCKING(Name, lower, __VA_ARGS__); \
  }                                            \
  static void Name##_init(void) {              \
    SetBlocks();                               \
    RUN_PERSISTENT(Name, lower, __VA_ARGS__);  \
  }
#else
#define COLLECTIVE(Name, lower, ...)           \
  static void Name(void) {                     \
    SetBlocks();                               \
    RUN_BLOCKING(Name, lower, __VA_ARGS__);    \
  }                                            \
  static void I##lower(void) {                 \
    SetBlocks();                               \
    RUN_NONBLOCKING(Name, lower, __VA_ARGS__); \
  }
#endif

COLLECTIVE(Bcast, bcast, to_send, 11, MPI_INT, kRoot, MPI_COMM_WORLD)
COLLECTIVE(Reduce, reduce, to_send, to_receive, 12, MPI_INT, MPI_SUM, kRoot,
           MPI_COMM_WORLD)
COLLECTIVE(Gather, gather, to_send, 13, MPI_INT, to_receive, 13, MPI_INT, kRoot,
           MPI_COMM_WORLD)
COLLECTIVE(Gatherv, gatherv, to_send, rank + 3, MPI_INT, to_receive, counts,
           offsets, MPI_INT, kRoot, MPI_COMM_WORLD)
COLLECTIVE(Scatter, scatter, to_send, 14, MPI_INT, to_receive, 14, MPI_INT,
           kRoot, MPI_COMM_WORLD)
COLLECTIVE(Scatterv, scatterv, to_send, counts, offsets, MPI_INT, to_receive,
           rank + 3, MPI_INT, kRoot, MPI_COMM_WORLD)
COLLECTIVE(Allgather, allgather, to_send, 15, MPI_INT, to_receive, 15, MPI_INT,
           MPI_COMM_WORLD)
COLLECTIVE(Allgatherv, allgatherv, to_send, rank + 3, MPI_INT, to_receive,
           counts, offsets, MPI_INT, MPI_COMM_WORLD)
COLLECTIVE(Alltoall, alltoall, to_send, 16, MPI_INT, to_receive, 16, MPI_INT,
           MPI_COMM_WORLD)
COLLECTIVE(Alltoallv, alltoallv, to_send, send_counts, send_offsets, MPI_INT,
           to_receive, receive_counts, receive_offsets, MPI_INT, MPI_COMM_WORLD)
COLLECTIVE(Alltoallw, alltoallw, to_send, send_counts, send_bytes, types,
           to_receive, receive_counts, receive_bytes, types, MPI_COMM_WORLD)
COLLECTIVE(Allreduce, allreduce, to_send, to_receive, 17, MPI_INT, MPI_SUM,
           MPI_COMM_WORLD)
COLLECTIVE(Reduce_scatter, reduce_scatter, to_send, to_receive, counts, MPI_INT,
           MPI_SUM, MPI_COMM_WORLD)
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, to_send, to_receive, 18,
           MPI_INT, MPI_SUM, MPI_COMM_WORLD)
COLLECTIVE(Scan, scan, to_send, to_receive, 19, MPI_INT, MPI_SUM,
           MPI_COMM_WORLD)
COLLECTIVE(Exscan, exscan, to_send, to_receive, 20, MPI_INT, MPI_SUM,
           MPI_COMM_WORLD)

// With MPI_IN_PLACE, whose send counts and types are not read.
static void InPlace(void) {
  SetBlocks();
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  MPI_Allgather(MPI_IN_PLACE, 0, none, to_receive, 21, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, none, to_receive, counts, offsets, MPI_INT,
                 MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, none, to_receive, 22, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, none, to_receive, same_counts,
                same_offsets, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, to_receive, same_counts,
                same_bytes, types, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, to_receive, 23, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

// Arguments that matter at the root only, or not at the root.
static void IgnoredArguments(void) {
  SetBlocks();
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  if (rank == kRoot) {
    MPI_Gather(MPI_IN_PLACE, 1, none, to_receive, 25, MPI_INT, kRoot,
               MPI_COMM_WORLD);
    MPI_Gatherv(MPI_IN_PLACE, 1, none, to_receive, counts, offsets, MPI_INT,
                kRoot, MPI_COMM_WORLD);
    MPI_Scatter(to_send, 26, MPI_INT, MPI_IN_PLACE, 1, none, kRoot,
                MPI_COMM_WORLD);
    MPI_Scatterv(to_send, counts, offsets, MPI_INT, MPI_IN_PLACE, 1, none,
                 kRoot, MPI_COMM_WORLD);
  } else {
    MPI_Gather(to_send, 25, MPI_INT, NULL, 1, none, kRoot, MPI_COMM_WORLD);
    MPI_Gatherv(to_send, counts[rank], MPI_INT, NULL, NULL, NULL, none, kRoot,
                MPI_COMM_WORLD);
    MPI_Scatter(NULL, 1, none, to_receive, 26, MPI_INT, kRoot, MPI_COMM_WORLD);
    MPI_Scatterv(NULL, NULL, NULL, none, to_receive, counts[rank], MPI_INT,
                 kRoot, MPI_COMM_WORLD);
  }
}

static void Barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

#ifdef HAVE_LARGE_COUNTS
static void LargeCounts(void) {
  MPI_Count many[kMost];
  MPI_Aint places[kMost];
  for (int i = 0; i < size; ++i) {
    many[i] = 5;
    places[i] = 5 * i;
  }
  MPI_Bcast_c(to_send, 24, MPI_INT, kRoot, MPI_COMM_WORLD);
  MPI_Alltoallv_c(to_send, many, places, MPI_INT, to_receive, many, places,
                  MPI_INT, MPI_COMM_WORLD);
}
#endif

#ifdef HAVE_PERSISTENT_COLLECTIVES
#define CASES(name, Name, lower) \
  {name, Name}, {"i" name, I##lower}, { name "_init", Name##_init }
#else
#define CASES(name, Name, lower) \
  {name, Name}, { "i" name, I##lower }
#endif

const struct Case collective_cases[] = {
    CASES("bcast", Bcast, bcast),
    CASES("reduce", Reduce, reduce),
    CASES("gather", Gather, gather),
    CASES("gatherv", Gatherv, gatherv),
    CASES("scatter", Scatter, scatter),
    CASES("scatterv", Scatterv, scatterv),
    CASES("allgather", Allgather, allgather),
    CASES("allgatherv", Allgatherv, allgatherv),
    CASES("alltoall", Alltoall, alltoall),
    CASES("alltoallv", Alltoallv, alltoallv),
    CASES("alltoallw", Alltoallw, alltoallw),
    CASES("allreduce", Allreduce, allreduce),
    CASES("reduce_scatter", Reduce_scatter, reduce_scatter),
    CASES("reduce_scatter_block", Reduce_scatter_block, reduce_scatter_block),
    CASES("scan", Scan, scan),
    CASES("exscan", Exscan, exscan),
    {"in_place", InPlace},
    {"ignored_arguments", IgnoredArguments},
    {"barrier", Barrier},
#ifdef HAVE_LARGE_COUNTS
    {"large_counts", LargeCounts},
#endif
    {NULL, NULL}};
