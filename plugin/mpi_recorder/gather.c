// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder.h"

enum { kRowTag = 1 };

static bool AnyReceived(MPI_Comm comm, const struct Row* received) {
  int own = 0;
  for (int i = 0; i < received->ranks; ++i) {
    if (received->messages[i] != 0) own = 1;
  }
  int any = 0;
  PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, comm);
  return any != 0;
}

// Each process tells each other one what it received from it.
static void AddTransposed(MPI_Comm comm, const struct Row* received,
                          struct Row* own, uint64_t* told) {
  PMPI_Alltoall(received->bytes, 1, MPI_UINT64_T, told, 1, MPI_UINT64_T, comm);
  for (int i = 0; i < own->ranks; ++i) own->bytes[i] += told[i];
  PMPI_Alltoall(received->messages, 1, MPI_UINT64_T, told, 1, MPI_UINT64_T,
                comm);
  for (int i = 0; i < own->ranks; ++i) own->messages[i] += told[i];
}

// Rank 0 writes one row after the other. The others send at once: rows that MPI
// sends without waiting for a receive are in the memory of rank 0 meanwhile.
static void WriteRows(MPI_Comm comm, const uint64_t* own, int ranks, FILE* file,
                      uint64_t* other) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank != 0) {
    PMPI_Send(own, ranks, MPI_UINT64_T, 0, kRowTag, comm);
    return;
  }
  WriteLine(file, own, ranks);
  for (int i = 1; i < ranks; ++i) {
    PMPI_Recv(other, ranks, MPI_UINT64_T, i, kRowTag, comm, MPI_STATUS_IGNORE);
    WriteLine(file, other, ranks);
  }
}

void WriteMatrix(MPI_Comm comm, struct Row* own, const struct Row* received,
                 uint64_t* other, FILE* bytes, FILE* messages) {
  if (AnyReceived(comm, received)) AddTransposed(comm, received, own, other);
  WriteRows(comm, own->bytes, own->ranks, bytes, other);
  int asked = messages != NULL;
  PMPI_Bcast(&asked, 1, MPI_INT, 0, comm);
  if (asked) WriteRows(comm, own->messages, own->ranks, messages, other);
}
