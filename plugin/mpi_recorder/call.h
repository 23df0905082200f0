// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a communication call, from C or Fortran.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_CALL_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_CALL_H_

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thread_state.h"

// An array of counts: of MPI_Count (`large`) or of int, as in Fortran.
struct Counts {
  const int* ints;
  const MPI_Count* large;
};

// An array of datatypes: of C or of Fortran handles.
struct Types {
  const MPI_Datatype* c;
  const MPI_Fint* fortran;
};

// A call sets the fields of its parameters; the others are zero.
struct Call {
  bool in_place;  // the send buffer is MPI_IN_PLACE
  MPI_Count partitions;
  MPI_Count send_count, receive_count;
  MPI_Datatype send_type, receive_type;
  struct Counts send_counts, receive_counts;
  struct Types send_types, receive_types;
  int peer;    // destination, root or target
  bool no_op;  // the operation is MPI_NO_OP
  MPI_Comm comm;
  MPI_Win win;
  const void* ignored;  // parameters that do not matter
};

static inline MPI_Count CountAt(struct Counts counts, int i) {
  return counts.large != NULL ? counts.large[i] : (MPI_Count)counts.ints[i];
}

static inline MPI_Datatype TypeAt(struct Types types, int i) {
  return types.c != NULL ? types.c[i] : PMPI_Type_f2c(types.fortran[i]);
}

static inline uint64_t BytesOf(MPI_Count count, MPI_Datatype type) {
  return count <= 0 ? 0 : (uint64_t)count * TypeBytes(type);
}

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_CALL_H_
