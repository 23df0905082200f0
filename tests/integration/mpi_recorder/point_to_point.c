// SPDX-License-Identifier: GPL-3.0-or-later
// Each rank sends to the next one; the receive is posted before, for Rsend.
#include <stdlib.h>

#include "traffic.h"

static int Next(void) { return (rank + 1) % size; }
static int Previous(void) { return (rank + size - 1) % size; }

static MPI_Request Receive(void) {
  MPI_Request request;
  MPI_Irecv(to_receive, kNumbers, MPI_INT, Previous(), 0, MPI_COMM_WORLD,
            &request);
  MPI_Barrier(MPI_COMM_WORLD);
  return request;
}

static void Wait(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

#define SENDS(Name, lower, count)                                            \
  static void Name(void) {                                                   \
    const MPI_Request receive = Receive();                                   \
    MPI_##Name(to_send, (count) + rank, MPI_INT, Next(), 0, MPI_COMM_WORLD); \
    Wait(receive);                                                           \
  }                                                                          \
  static void I##lower(void) {                                               \
    const MPI_Request receive = Receive();                                   \
    MPI_Request send;                                                        \
    MPI_I##lower(to_send, (count) + 10, MPI_INT, Next(), 0, MPI_COMM_WORLD,  \
                 &send);                                                     \
    Wait(send);                                                              \
    Wait(receive);                                                           \
  }

SENDS(Send, send, 100)
SENDS(Ssend, ssend, 200)
SENDS(Rsend, rsend, 300)
SENDS(Bsend, bsend, 400)

static void WithBuffer(void (*send)(void)) {
  const int bytes = 1 << 20;
  void* buffer = malloc((size_t)bytes);
  MPI_Buffer_attach(buffer, bytes);
  send();
  int detached;
  MPI_Buffer_detach(&buffer, &detached);
  free(buffer);
}

static void BufferedSend(void) { WithBuffer(Bsend); }
static void BufferedIsend(void) { WithBuffer(Ibsend); }

static void Sendrecv(void) {
  MPI_Sendrecv(to_send, 500 + rank, MPI_INT, Next(), 0, to_receive, kNumbers,
               MPI_INT, Previous(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void SendrecvReplace(void) {
  MPI_Sendrecv_replace(to_send, 600, MPI_INT, Next(), 0, Previous(), 0,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ToSelf(void) {
  MPI_Sendrecv(to_send, 7, MPI_INT, rank, 0, to_receive, 7, MPI_INT, rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ToNoProcess(void) {
  MPI_Send(to_send, 99, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void Empty(void) {
  const MPI_Request receive = Receive();
  MPI_Send(to_send, 0, MPI_INT, Next(), 0, MPI_COMM_WORLD);
  Wait(receive);
}

// Blocks of 2 of every 5 ints: 10 blocks have 80 bytes.
static void DerivedType(void) {
  MPI_Datatype type;
  MPI_Type_vector(10, 2, 5, MPI_INT, &type);
  MPI_Type_commit(&type);
  const MPI_Request receive = Receive();
  MPI_Send(to_send, 3, type, Next(), 0, MPI_COMM_WORLD);
  Wait(receive);
  MPI_Type_free(&type);
}

// MPI gives the handle of a freed type to one of another size.
static void ReusedType(void) {
  for (int i = 1; i <= 20; ++i) {
    MPI_Datatype type;
    MPI_Type_contiguous(i, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(to_send, 1, type, Next(), 0, to_receive, kNumbers, MPI_INT,
                 Previous(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
}

// Each rank to each other one, so that the tables grow; 20 times.
static void AllPairs(void) {
  for (int i = 0; i < 20 * size; ++i) {
    const int to = (rank + i) % size;
    const int from = (rank + 19 * size * size - i) % size;
    MPI_Sendrecv(to_send, 1 + to, MPI_INT, to, 0, to_receive, kNumbers, MPI_INT,
                 from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// A send that MPI refuses is not counted, and its error is the program's.
static void RefusedSend(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class = MPI_SUCCESS;
  const int code = MPI_Send(to_send, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  if (class != MPI_ERR_RANK) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

#ifdef HAVE_ISENDRECV
static void Isendrecv(void) {
  MPI_Request request;
  MPI_Isendrecv(to_send, 700 + rank, MPI_INT, Next(), 0, to_receive, kNumbers,
                MPI_INT, Previous(), 0, MPI_COMM_WORLD, &request);
  Wait(request);
}

static void IsendrecvReplace(void) {
  MPI_Request request;
  MPI_Isendrecv_replace(to_send, 800, MPI_INT, Next(), 0, Previous(), 0,
                        MPI_COMM_WORLD, &request);
  Wait(request);
}
#endif

#ifdef HAVE_LARGE_COUNTS
static void LargeCount(void) {
  const MPI_Request receive = Receive();
  MPI_Send_c(to_send, 900, MPI_INT, Next(), 0, MPI_COMM_WORLD);
  Wait(receive);
}
#endif

const struct Case point_to_point_cases[] = {
    {"send", Send},
    {"ssend", Ssend},
    {"rsend", Rsend},
    {"bsend", BufferedSend},
    {"isend", Isend},
    {"issend", Issend},
    {"irsend", Irsend},
    {"ibsend", BufferedIsend},
    {"sendrecv", Sendrecv},
    {"sendrecv_replace", SendrecvReplace},
    {"to_self", ToSelf},
    {"to_no_process", ToNoProcess},
    {"empty", Empty},
    {"derived_type", DerivedType},
    {"reused_type", ReusedType},
    {"all_pairs", AllPairs},
    {"refused_send", RefusedSend},
#ifdef HAVE_ISENDRECV
    {"isendrecv", Isendrecv},
    {"isendrecv_replace", IsendrecvReplace},
#endif
#ifdef HAVE_LARGE_COUNTS
    {"send_c", LargeCount},
#endif
    {NULL, NULL}};
