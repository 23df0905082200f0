// SPDX-License-Identifier: GPL-3.0-or-later
// Persistent sends to the next rank, started several times.
#include <stdlib.h>

#include "traffic.h"

enum { kStarts = 3 };

static int Next(void) { return (rank + 1) % size; }
static int Previous(void) { return (rank + size - 1) % size; }

// Starts the send and then frees its request.
static void StartOften(MPI_Request* send) {
  for (int i = 0; i < kStarts; ++i) {
    MPI_Request receive;
    MPI_Irecv(to_receive, kNumbers, MPI_INT, Previous(), 0, MPI_COMM_WORLD,
              &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(send);
    MPI_Wait(send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(send);
}

#define PERSISTENT(Name, count)                                             \
  static void Name(void) {                                                  \
    MPI_Request send;                                                       \
    MPI_##Name(to_send, (count) + rank, MPI_INT, Next(), 0, MPI_COMM_WORLD, \
               &send);                                                      \
    StartOften(&send);                                                      \
  }

PERSISTENT(Send_init, 10)
PERSISTENT(Ssend_init, 20)
PERSISTENT(Rsend_init, 30)
PERSISTENT(Bsend_init, 40)

static void BufferedSendInit(void) {
  const int bytes = 1 << 20;
  void* buffer = malloc((size_t)bytes);
  MPI_Buffer_attach(buffer, bytes);
  Bsend_init();
  int detached;
  MPI_Buffer_detach(&buffer, &detached);
  free(buffer);
}

// One request that is never started, and receives among those that are.
static void Startall(void) {
  MPI_Request idle;
  MPI_Send_init(to_send, 1000, MPI_INT, Next(), 0, MPI_COMM_WORLD, &idle);
  MPI_Request requests[3];
  MPI_Recv_init(to_receive, 1000, MPI_INT, Previous(), 1, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Send_init(to_send, 50, MPI_INT, Next(), 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(to_send, 60, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                &requests[2]);
  for (int i = 0; i < kStarts; ++i) {
    MPI_Startall(3, requests);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
  MPI_Request_free(&idle);
}

// MPI gives the handle of a freed request to another one, which sends nothing.
static void ReusedRequest(void) {
  for (int i = 0; i < 20; ++i) {
    MPI_Request send;
    MPI_Send_init(to_send, 70, MPI_INT, Next(), 0, MPI_COMM_WORLD, &send);
    MPI_Request_free(&send);
    MPI_Request receive;
    MPI_Recv_init(to_receive, 70, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                  &receive);
    MPI_Start(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&receive);
  }
}

#ifdef HAVE_PARTITIONED
// Four partitions of 15 ints each.
static void Partitioned(void) {
  MPI_Request requests[2];
  MPI_Precv_init(to_receive, 4, 15, MPI_INT, Previous(), 2, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(to_send, 4, 15, MPI_INT, Next(), 2, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < kStarts; ++i) {
    MPI_Startall(2, requests);
    for (int part = 0; part < 4; ++part) MPI_Pready(part, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}
#endif

const struct Case persistent_cases[] = {{"send_init", Send_init},
                                        {"ssend_init", Ssend_init},
                                        {"rsend_init", Rsend_init},
                                        {"bsend_init", BufferedSendInit},
                                        {"startall", Startall},
                                        {"reused_request", ReusedRequest},
#ifdef HAVE_PARTITIONED
                                        {"psend_init", Partitioned},
#endif
                                        {NULL, NULL}};
