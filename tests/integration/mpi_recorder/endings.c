// SPDX-License-Identifier: GPL-3.0-or-later
// Ends without MPI_Finalize, children of the program, started processes.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traffic.h"

static void Ring(void) {
  MPI_Sendrecv(to_send, 10, MPI_INT, (rank + 1) % size, 0, to_receive, 10,
               MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(to_send, to_receive, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void Abort(void) {
  Ring();
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Barrier(MPI_COMM_WORLD);
}

// With MPI_ERRORS_ARE_FATAL, the default.
static void Error(void) {
  Ring();
  if (rank == 1) MPI_Send(to_send, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void Exit(void) {
  Ring();
  if (rank == 2) exit(6);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void Crash(void) {
  Ring();
  if (rank == 1) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

// A child that exits has no row, and the program may change its directory.
static void Fork(void) {
  Ring();
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
  if (chdir("/") != 0) abort();
}

// What rank 0 exchanges with the process it starts is outside MPI_COMM_WORLD.
static void Spawn(void) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0) abort();
  path[length] = '\0';
  char* arguments[] = {"--child", NULL};
  MPI_Comm children;
  MPI_Comm_spawn(path, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                 &children, MPI_ERRCODES_IGNORE);
  Ring();
  if (rank == 0) {
    MPI_Send(to_send, 9, MPI_INT, 0, 0, children);
    MPI_Request send;
    MPI_Send_init(to_send, 11, MPI_INT, 0, 0, children, &send);
    for (int i = 0; i < 3; ++i) {
      MPI_Start(&send);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&send);
    MPI_Recv(to_receive, 5, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE);
  }
  MPI_Comm_disconnect(&children);
}

const struct Case ending_cases[] = {
    {"abort", Abort}, {"error", Error}, {"exit", Exit}, {"crash", Crash},
    {"fork", Fork},   {"spawn", Spawn}, {NULL, NULL}};
