// SPDX-License-Identifier: GPL-3.0-or-later
// What persistent requests send at every start. Thread-safe.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_REQUESTS_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_REQUESTS_H_

#include <mpi.h>

#include "counting.h"

// Remembers what `count` says of the call, which made the request.
void RememberRequest(MPI_Request request, const struct Call* call,
                     void (*count)(const struct Call*, struct Sink));
// Adds what the request sends to the thread's traffic.
void CountStart(MPI_Request request);
void ForgetRequest(MPI_Request request);

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_REQUESTS_H_
