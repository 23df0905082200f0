// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided calls of each rank to the next one of a window. The window's ranks
// are those of MPI_COMM_WORLD the other way round.
#include "traffic.h"

static int memory[1000];

static MPI_Win Window(int* target) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  int own;
  MPI_Comm_rank(comm, &own);
  *target = (own + 1) % size;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, comm,
                 &win);
  MPI_Comm_free(&comm);
  MPI_Win_lock_all(0, win);
  return win;
}

static void End(MPI_Win* win) {
  MPI_Win_unlock_all(*win);
  MPI_Win_free(win);
}

static void Wait(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void Put(void) {
  int target;
  MPI_Request request;
  MPI_Win win = Window(&target);
  MPI_Put(to_send, 10 + rank, MPI_INT, target, 0, 10 + rank, MPI_INT, win);
  MPI_Rput(to_send, 20, MPI_INT, target, 100, 20, MPI_INT, win, &request);
  Wait(request);
  MPI_Put(to_send, 99, MPI_INT, MPI_PROC_NULL, 0, 99, MPI_INT, win);
  End(&win);
}

static void Get(void) {
  int target;
  MPI_Request request;
  MPI_Win win = Window(&target);
  MPI_Get(to_receive, 30 + rank, MPI_INT, target, 0, 30 + rank, MPI_INT, win);
  MPI_Rget(to_receive, 40, MPI_INT, target, 0, 40, MPI_INT, win, &request);
  Wait(request);
  End(&win);
}

static void Accumulate(void) {
  int target;
  MPI_Request request;
  MPI_Win win = Window(&target);
  MPI_Accumulate(to_send, 50, MPI_INT, target, 0, 50, MPI_INT, MPI_SUM, win);
  MPI_Raccumulate(to_send, 60, MPI_INT, target, 0, 60, MPI_INT, MPI_SUM, win,
                  &request);
  Wait(request);
  End(&win);
}

static void GetAccumulate(void) {
  int target;
  MPI_Request request;
  MPI_Win win = Window(&target);
  MPI_Get_accumulate(to_send, 70, MPI_INT, to_receive, 70, MPI_INT, target, 0,
                     70, MPI_INT, MPI_SUM, win);
  MPI_Rget_accumulate(NULL, 0, MPI_INT, to_receive, 80, MPI_INT, target, 0, 80,
                      MPI_INT, MPI_NO_OP, win, &request);
  Wait(request);
  End(&win);
}

// With MPI_NO_OP the arguments of the origin are ignored, with MPI_PROC_NULL
// all.
static void NoOperation(void) {
  int target;
  MPI_Win win = Window(&target);
  MPI_Get_accumulate(NULL, 1, MPI_DATATYPE_NULL, to_receive, 90, MPI_INT,
                     target, 0, 90, MPI_INT, MPI_NO_OP, win);
  MPI_Fetch_and_op(NULL, to_receive + 100, MPI_INT, target, 0, MPI_NO_OP, win);
  MPI_Get_accumulate(to_send, 99, MPI_INT, to_receive, 99, MPI_INT,
                     MPI_PROC_NULL, 0, 99, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(to_send, to_receive, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM,
                   win);
  End(&win);
}

static void Atomic(void) {
  int target;
  MPI_Win win = Window(&target);
  MPI_Fetch_and_op(to_send, to_receive, MPI_INT, target, 0, MPI_SUM, win);
  MPI_Compare_and_swap(to_send, to_send + 1, to_receive + 1, MPI_INT, target, 1,
                       win);
  End(&win);
}

const struct Case one_sided_cases[] = {{"put", Put},
                                       {"get", Get},
                                       {"accumulate", Accumulate},
                                       {"get_accumulate", GetAccumulate},
                                       {"no_operation", NoOperation},
                                       {"atomic", Atomic},
                                       {NULL, NULL}};
