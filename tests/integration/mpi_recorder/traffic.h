// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of communication whose bytes recorder_test.py knows.
#ifndef COOLSPAN_TESTS_INTEGRATION_MPI_RECORDER_TRAFFIC_H_
#define COOLSPAN_TESTS_INTEGRATION_MPI_RECORDER_TRAFFIC_H_

#include <mpi.h>
#include <stddef.h>

struct Case {
  const char* name;
  void (*run)(void);
};

// Of MPI_COMM_WORLD.
extern int rank, size;
// For all cases: large enough, with zeros.
enum { kNumbers = 100000 };
extern int to_send[kNumbers], to_receive[kNumbers];

// Ends with {NULL, NULL}.
extern const struct Case point_to_point_cases[];
extern const struct Case persistent_cases[];
extern const struct Case collective_cases[];
extern const struct Case neighbour_cases[];
extern const struct Case communicator_cases[];
extern const struct Case one_sided_cases[];
extern const struct Case ending_cases[];

#endif  // COOLSPAN_TESTS_INTEGRATION_MPI_RECORDER_TRAFFIC_H_
