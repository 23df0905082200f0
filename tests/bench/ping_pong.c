// SPDX-License-Identifier: GPL-3.0-or-later
// ping_pong ROUND_TRIPS BYTES: two ranks send a message back and forth; rank 0
// prints the time of a round trip in nanoseconds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void Exchange(int rank, int round_trips, int bytes, char* buffer) {
  const int other = 1 - rank;
  for (int i = 0; i < round_trips; ++i) {
    if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int round_trips = argc > 1 ? atoi(argv[1]) : 1000000;
  const int bytes = argc > 2 ? atoi(argv[2]) : 8;
  char* const buffer = calloc(1, (size_t)bytes + 1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Exchange(rank, round_trips / 10 + 1, bytes, buffer);
  const double start = MPI_Wtime();
  Exchange(rank, round_trips, bytes, buffer);
  const double seconds = MPI_Wtime() - start;
  if (rank == 0) printf("%.2f\n", seconds / round_trips * 1e9);
  free(buffer);
  MPI_Finalize();
  return 0;
}
