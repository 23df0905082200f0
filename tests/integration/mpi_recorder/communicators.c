// SPDX-License-Identifier: GPL-3.0-or-later
// Other communicators than MPI_COMM_WORLD, four threads a rank.
#include <pthread.h>
#include <stdlib.h>

#include "traffic.h"

// Each rank of comm sends `count` ints to the next one.
static void Ring(MPI_Comm comm, int count) {
  int own, all;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  MPI_Sendrecv(to_send, count, MPI_INT, (own + 1) % all, 0, to_receive, count,
               MPI_INT, (own + all - 1) % all, 0, comm, MPI_STATUS_IGNORE);
}

static void Dup(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Ring(comm, 10);
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  Ring(copy, 20);
  MPI_Comm_free(&comm);
  Ring(copy, 30);
  MPI_Comm_free(&copy);
}

// Even and odd ranks, the highest first.
static void Split(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  Ring(comm, 40);
  MPI_Bcast(to_send, 50, MPI_INT, 0, comm);
  MPI_Scan(to_send, to_receive, 60, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
}

// MPI gives the handle of a freed communicator to one of other ranks.
static void ReusedHandle(void) {
  for (int i = 0; i < 30; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -rank : rank, &comm);
    Ring(comm, 1 + i);
    MPI_Comm_free(&comm);
  }
}

// Rank 3 of four is not in it.
static void Group(void) {
  MPI_Group all, some;
  const int left_out[] = {3};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, left_out, &some);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  if (comm == MPI_COMM_NULL) return;
  Ring(comm, 70);
  MPI_Allreduce(to_send, to_receive, 80, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
}

// Never freed.
static void Leaked(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  MPI_Allgather(to_send, 90, MPI_INT, to_receive, 90, MPI_INT, comm);
}

// Ranks 0 and 1 with ranks 2 and 3.
static MPI_Comm Intercommunicator(void) {
  const int first = rank < size / 2;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? size / 2 : 0, 1,
                       &inter);
  MPI_Comm_free(&half);
  return inter;
}

static void InterPointToPoint(void) {
  MPI_Comm inter = Intercommunicator();
  const int partner = rank % (size / 2);
  MPI_Sendrecv(to_send, 100 + rank, MPI_INT, partner, 0, to_receive, kNumbers,
               MPI_INT, partner, 0, inter, MPI_STATUS_IGNORE);
  MPI_Comm_free(&inter);
}

// From or to rank 1, by the other half.
static void InterRooted(void) {
  MPI_Comm inter = Intercommunicator();
  int root = 1;
  if (rank < size / 2) root = rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(to_send, 1, MPI_INT, root, inter);
  MPI_Reduce(to_send, to_receive, 2, MPI_INT, MPI_SUM, root, inter);
  MPI_Gather(to_send, 4, MPI_INT, to_receive, 4, MPI_INT, root, inter);
  MPI_Scatter(to_send, 8, MPI_INT, to_receive, 8, MPI_INT, root, inter);
  MPI_Comm_free(&inter);
}

// The first half sends blocks of 3 ints, the other one blocks of 5; of the
// result of a reduction of 4 ints, one part is as large as the other three.
static void InterAll(void) {
  MPI_Comm inter = Intercommunicator();
  const int first = rank < size / 2;
  const int sent = first ? 3 : 5;
  const int received = first ? 5 : 3;
  MPI_Allgather(to_send, sent, MPI_INT, to_receive, received, MPI_INT, inter);
  MPI_Alltoall(to_send, sent, MPI_INT, to_receive, received, MPI_INT, inter);
  MPI_Allreduce(to_send, to_receive, 7, MPI_INT, MPI_SUM, inter);
  const int of_first[] = {1, 3};
  const int of_second[] = {2, 2};
  MPI_Reduce_scatter(to_send, to_receive, first ? of_first : of_second, MPI_INT,
                     MPI_SUM, inter);
  MPI_Reduce_scatter_block(to_send, to_receive, 6, MPI_INT, MPI_SUM, inter);
  MPI_Comm_free(&inter);
}

enum { kThreads = 4, kMessages = 10, kToItself = 1000 };

// Fast messages of all threads at a time, and messages in communicators that
// come and go.
static void* SendMany(void* own) {
  MPI_Comm comm = *(MPI_Comm*)own;
  int data = 0;
  int got = 0;
  for (int i = 0; i < kToItself; ++i) {
    MPI_Sendrecv(&data, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, comm,
                 MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < kMessages; ++i) {
    MPI_Comm used = comm;
    if (i % 5 == 0) MPI_Comm_dup(comm, &used);
    MPI_Sendrecv(&data, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, used, MPI_STATUS_IGNORE);
    MPI_Allreduce(&data, &got, 1, MPI_INT, MPI_SUM, used);
    if (i % 5 == 0) MPI_Comm_free(&used);
  }
  return NULL;
}

static void Threads(void) {
  int provided;
  MPI_Query_thread(&provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 4);
  pthread_t threads[kThreads];
  MPI_Comm comms[kThreads];
  // A second round: new threads take over the tables of those that ended.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < kThreads; ++i) {
      pthread_create(&threads[i], NULL, SendMany, &comms[i]);
    }
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
  }
}

const struct Case communicator_cases[] = {
    {"dup", Dup},
    {"split", Split},
    {"reused_handle", ReusedHandle},
    {"group", Group},
    {"leaked", Leaked},
    {"inter_point_to_point", InterPointToPoint},
    {"inter_rooted", InterRooted},
    {"inter_all", InterAll},
    {"threads", Threads},
    {NULL, NULL}};
