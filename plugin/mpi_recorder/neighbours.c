// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>

#include "ranks.h"

static struct Neighbours* NewNeighbours(int count) {
  struct Neighbours* const made =
      calloc(1, sizeof *made + (size_t)count * sizeof made->world[0]);
  if (made != NULL) made->count = count;
  return made;
}

// In each dimension first the process below, then the one above.
static struct Neighbours* CartNeighbours(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  struct Neighbours* const made = NewNeighbours(2 * dimensions);
  if (made == NULL) return NULL;
  for (int i = 0; i < dimensions; ++i) {
    int* const pair = &made->world[(size_t)i * 2];
    PMPI_Cart_shift(comm, i, 1, &pair[0], &pair[1]);
  }
  return made;
}

static struct Neighbours* GraphNeighbours(MPI_Comm comm, int my_rank) {
  int count = 0;
  PMPI_Graph_neighbors_count(comm, my_rank, &count);
  struct Neighbours* const made = NewNeighbours(count);
  if (made != NULL) PMPI_Graph_neighbors(comm, my_rank, count, made->world);
  return made;
}

static struct Neighbours* DistributedGraphNeighbours(MPI_Comm comm) {
  int sources = 0;
  int count = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &sources, &count, &weighted);
  struct Neighbours* const made = NewNeighbours(count);
  const size_t numbers = (size_t)sources * 2 + (size_t)count + 1;
  int* const unused = malloc(numbers * sizeof(int));
  if (made != NULL && unused != NULL) {
    PMPI_Dist_graph_neighbors(comm, sources, unused, unused + sources, count,
                              made->world, unused + 2 * (size_t)sources);
    free(unused);
    return made;
  }
  free(made);
  free(unused);
  return NULL;
}

static struct Neighbours* MakeNeighbours(MPI_Comm comm, int my_rank) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  switch (kind) {
    case MPI_CART:
      return CartNeighbours(comm);
    case MPI_GRAPH:
      return GraphNeighbours(comm, my_rank);
    case MPI_DIST_GRAPH:
      return DistributedGraphNeighbours(comm);
    default:
      return NULL;
  }
}

const struct Neighbours* NeighboursOf(MPI_Comm comm, struct Ranks* ranks) {
  struct Neighbours* known = atomic_load(&ranks->neighbours);
  if (known != NULL) return known;
  struct Neighbours* const made = MakeNeighbours(comm, ranks->my_rank);
  if (made == NULL) {
    atomic_fetch_add_explicit(&lost_messages, 1, memory_order_relaxed);
    return NULL;
  }
  for (int i = 0; i < made->count; ++i) {
    made->world[i] = made->world[i] == MPI_PROC_NULL
                         ? kNoProcess
                         : WorldRank(ranks, made->world[i]);
  }
  // Another thread may have been faster.
  if (atomic_compare_exchange_strong(&ranks->neighbours, &known, made)) {
    return made;
  }
  free(made);
  return known;
}
