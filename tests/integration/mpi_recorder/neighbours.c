// SPDX-License-Identifier: GPL-3.0-or-later
// Neighbourhood collectives on the three process topologies.
#include "traffic.h"

enum { kMost = 8 };

static int counts[kMost], offsets[kMost];
static MPI_Aint bytes[kMost];
static MPI_Datatype types[kMost];

// Block i of a rank has `first` + i ints.
static void SetBlocks(int first, int step) {
  for (int i = 0; i < kMost; ++i) {
    counts[i] = first + step * i;
    offsets[i] = 100 * i;
    bytes[i] = 400 * i;
    types[i] = MPI_INT;
  }
}

static void Wait(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

// All with blocks of one size, because what a rank receives from a neighbour
// must be what that one sends.
static void Exchange(MPI_Comm comm) {
  MPI_Request request;
  MPI_Neighbor_allgather(to_send, 1, MPI_INT, to_receive, 1, MPI_INT, comm);
  SetBlocks(2, 0);
  MPI_Neighbor_allgatherv(to_send, 2, MPI_INT, to_receive, counts, offsets,
                          MPI_INT, comm);
  MPI_Neighbor_alltoall(to_send, 4, MPI_INT, to_receive, 4, MPI_INT, comm);
  SetBlocks(8, 0);
  MPI_Neighbor_alltoallv(to_send, counts, offsets, MPI_INT, to_receive, counts,
                         offsets, MPI_INT, comm);
  MPI_Ineighbor_allgather(to_send, 16, MPI_INT, to_receive, 16, MPI_INT, comm,
                          &request);
  Wait(request);
  SetBlocks(32, 0);
  MPI_Neighbor_alltoallw(to_send, counts, bytes, types, to_receive, counts,
                         bytes, types, comm);
}

static void Cart(void) {
  const int periodic = 0;
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
  Exchange(comm);
  MPI_Comm_free(&comm);
}

// Rank 0 with each other one.
static void Graph(void) {
  int index[kMost], edges[2 * kMost];
  for (int i = 0; i < size; ++i) {
    index[i] = size - 1 + i;
    if (i > 0) edges[i - 1] = i;
    if (i > 0) edges[size - 2 + i] = 0;
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  Exchange(comm);
  MPI_Comm_free(&comm);
}

// One direction: each rank to the next one; block sizes differ by rank.
static void DistributedGraph(void) {
  const int from = (rank + size - 1) % size;
  const int to = (rank + 1) % size;
  const int weight = 1;
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &weight, 1, &to,
                                 &weight, MPI_INFO_NULL, 0, &comm);
  Exchange(comm);
  const int sent = 3 + rank;
  const int received = 3 + from;
  const int start = 0;
  MPI_Neighbor_alltoallv(to_send, &sent, &start, MPI_INT, to_receive, &received,
                         &start, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

const struct Case neighbour_cases[] = {{"cart", Cart},
                                       {"graph", Graph},
                                       {"dist_graph", DistributedGraph},
                                       {NULL, NULL}};
