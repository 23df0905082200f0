// SPDX-License-Identifier: GPL-3.0-or-later
// ping_pong ROUND_TRIPS BYTES [PAIRS]: two ranks send a message back and forth.
// Rank 0 prints the nanoseconds of a round trip; with PAIRS, those by PMPI,
// which no library replaces, those by MPI and the ratio, the medians of as many
// pairs.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRoundTrips = 500 };

static int rank, bytes;
static char* buffer;

#define EXCHANGE(Name, SEND, RECEIVE)                                     \
  static double Name(int round_trips) {                                   \
    const double start = MPI_Wtime();                                     \
    for (int i = 0; i < round_trips; ++i) {                               \
      if (rank == 0) SEND(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD); \
      RECEIVE(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,       \
              MPI_STATUS_IGNORE);                                         \
      if (rank == 1) SEND(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD); \
    }                                                                     \
    return (MPI_Wtime() - start) / round_trips * 1e9;                     \
  }

EXCHANGE(ByMpi, MPI_Send, MPI_Recv)
EXCHANGE(ByPmpi, PMPI_Send, PMPI_Recv)

static int Compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double Median(double* numbers, int count) {
  qsort(numbers, (size_t)count, sizeof *numbers, Compare);
  return numbers[count / 2];
}

static void Repeat(int blocks) {
  double* const times = malloc((size_t)blocks * sizeof(double));
  for (int i = 0; i < blocks; ++i) times[i] = ByMpi(kRoundTrips);
  if (rank == 0) printf("%.1f\n", Median(times, blocks));
  free(times);
}

static void Alternate(int pairs) {
  double* const by_pmpi = malloc((size_t)pairs * 3 * sizeof(double));
  double* const by_mpi = by_pmpi + pairs;
  double* const ratios = by_mpi + pairs;
  for (int i = 0; i < pairs; ++i) {
    // Neither is always the first of a pair.
    if (i % 2) by_mpi[i] = ByMpi(kRoundTrips);
    by_pmpi[i] = ByPmpi(kRoundTrips);
    if (i % 2 == 0) by_mpi[i] = ByMpi(kRoundTrips);
    ratios[i] = by_mpi[i] / by_pmpi[i];
  }
  if (rank == 0) {
    printf("%.1f %.1f %.4f\n", Median(by_pmpi, pairs), Median(by_mpi, pairs),
           Median(ratios, pairs));
  }
  free(by_pmpi);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int blocks = argc > 1 ? atoi(argv[1]) : 1000;
  bytes = argc > 2 ? atoi(argv[2]) : 8;
  buffer = calloc(1, (size_t)bytes + 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ByMpi(10 * kRoundTrips);
  if (argc > 3) {
    Alternate(blocks / 2);
  } else {
    Repeat(blocks);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
