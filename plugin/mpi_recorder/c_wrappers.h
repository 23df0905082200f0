// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of the C interface that communicate. Included once for counts
// of int and once for those of MPI_Count, with these macros:
//   COUNT, OFFSET      the types of a count and of a displacement
//   COUNTS             the field of struct Counts of that type
//   NAMED(prefix, name) the name of a function
// No include guard: each inclusion defines other functions.

// NOLINTBEGIN(bugprone-macro-parentheses): types and parts of names

// Parameters as declared.
#define DECL_SBUF(x) const void* x
#define DECL_SBUF2(x) const void* x
#define DECL_BUF(x) void* x
#define DECL_RBUF(x) void* x
#define DECL_SCOUNT(x) COUNT x
#define DECL_RCOUNT(x) COUNT x
#define DECL_TCOUNT(x) COUNT x
#define DECL_PCOUNT(x) MPI_Count x
#define DECL_PARTITIONS(x) int x
#define DECL_STYPE(x) MPI_Datatype x
#define DECL_RTYPE(x) MPI_Datatype x
#define DECL_TTYPE(x) MPI_Datatype x
#define DECL_SCOUNTS(x) const COUNT* x
#define DECL_RCOUNTS(x) const COUNT* x
#define DECL_D(x) const OFFSET* x
#define DECL_AINTS(x) const MPI_Aint* x
#define DECL_STYPES(x) const MPI_Datatype* x
#define DECL_RTYPES(x) const MPI_Datatype* x
#define DECL_PEER(x) int x
#define DECL_N(x) int x
#define DECL_DISP(x) MPI_Aint x
#define DECL_OP(x) MPI_Op x
#define DECL_COMM(x) MPI_Comm x
#define DECL_WIN(x) MPI_Win x
#define DECL_STATUS(x) MPI_Status* x

// Parameters as passed on.
#define USE_SBUF(x) x
#define USE_SBUF2(x) x
#define USE_BUF(x) x
#define USE_RBUF(x) x
#define USE_SCOUNT(x) x
#define USE_RCOUNT(x) x
#define USE_TCOUNT(x) x
#define USE_PCOUNT(x) x
#define USE_PARTITIONS(x) x
#define USE_STYPE(x) x
#define USE_RTYPE(x) x
#define USE_TTYPE(x) x
#define USE_SCOUNTS(x) x
#define USE_RCOUNTS(x) x
#define USE_D(x) x
#define USE_AINTS(x) x
#define USE_STYPES(x) x
#define USE_RTYPES(x) x
#define USE_PEER(x) x
#define USE_N(x) x
#define USE_DISP(x) x
#define USE_OP(x) x
#define USE_COMM(x) x
#define USE_WIN(x) x
#define USE_STATUS(x) x

// Parameters as fields of `call`.
#define SET_SBUF(x) call.in_place = (x) == MPI_IN_PLACE
#define SET_SBUF2(x) (void)(x)
#define SET_BUF(x) (void)(x)
#define SET_RBUF(x) (void)(x)
#define SET_SCOUNT(x) call.send_count = (x)
#define SET_RCOUNT(x) call.receive_count = (x)
#define SET_TCOUNT(x) (void)(x)
#define SET_PCOUNT(x) call.send_count = (x)
#define SET_PARTITIONS(x) call.partitions = (x)
#define SET_STYPE(x) call.send_type = (x)
#define SET_RTYPE(x) call.receive_type = (x)
#define SET_TTYPE(x) (void)(x)
#define SET_SCOUNTS(x) call.send_counts.COUNTS = (x)
#define SET_RCOUNTS(x) call.receive_counts.COUNTS = (x)
#define SET_D(x) (void)(x)
#define SET_AINTS(x) (void)(x)
#define SET_STYPES(x) call.send_types.c = (x)
#define SET_RTYPES(x) call.receive_types.c = (x)
#define SET_PEER(x) call.peer = (x)
#define SET_N(x) (void)(x)
#define SET_DISP(x) (void)(x)
#define SET_OP(x) call.no_op = (x) == MPI_NO_OP
#define SET_COMM(x) call.comm = (x)
#define SET_WIN(x) call.win = (x)
#define SET_STATUS(x) (void)(x)

#define BLOCKING(Name, PARAMS, Count)                    \
  EXPORTED int NAMED(MPI_, Name)(PARAMS(DECL_)) {        \
    const int result = NAMED(PMPI_, Name)(PARAMS(USE_)); \
    if (result == MPI_SUCCESS && Recording()) {          \
      struct Call call = {0};                            \
      PARAMS(SET_);                                      \
      Count(&call, ThreadSink());                        \
    }                                                    \
    return result;                                       \
  }

#define NONBLOCKING(Name, PARAMS, Count)                                 \
  EXPORTED int NAMED(MPI_, Name)(PARAMS(DECL_), MPI_Request * request) { \
    const int result = NAMED(PMPI_, Name)(PARAMS(USE_), request);        \
    if (result == MPI_SUCCESS && Recording()) {                          \
      struct Call call = {0};                                            \
      PARAMS(SET_);                                                      \
      Count(&call, ThreadSink());                                        \
    }                                                                    \
    return result;                                                       \
  }

#define PERSISTENT(Name, PARAMS, Count)                                  \
  EXPORTED int NAMED(MPI_, Name)(PARAMS(DECL_), MPI_Request * request) { \
    const int result = NAMED(PMPI_, Name)(PARAMS(USE_), request);        \
    if (result == MPI_SUCCESS && Recording()) {                          \
      struct Call call = {0};                                            \
      PARAMS(SET_);                                                      \
      RememberRequest(*request, &call, Count);                           \
    }                                                                    \
    return result;                                                       \
  }

#define PERSISTENT_INFO(Name, PARAMS, Count)                            \
  EXPORTED int NAMED(MPI_, Name)(PARAMS(DECL_), MPI_Info info,          \
                                 MPI_Request * request) {               \
    const int result = NAMED(PMPI_, Name)(PARAMS(USE_), info, request); \
    if (result == MPI_SUCCESS && Recording()) {                         \
      struct Call call = {0};                                           \
      PARAMS(SET_);                                                     \
      RememberRequest(*request, &call, Count);                          \
    }                                                                   \
    return result;                                                      \
  }

#define SEND(Name, lower, PARAMS, Count) \
  BLOCKING(Name, PARAMS, Count)          \
  NONBLOCKING(I##lower, PARAMS, Count)   \
  PERSISTENT(Name##_init, PARAMS, Count)

#define WITH_REQUEST(Name, lower, PARAMS, Count) \
  BLOCKING(Name, PARAMS, Count)                  \
  NONBLOCKING(R##lower, PARAMS, Count)

#define COLLECTIVE(Name, lower, PARAMS, Count) \
  BLOCKING(Name, PARAMS, Count)                \
  NONBLOCKING(I##lower, PARAMS, Count)

#define PERSISTENT_COLLECTIVE(Name, lower, PARAMS, Count) \
  PERSISTENT_INFO(Name##_init, PARAMS, Count)

SENDS(SEND)
BLOCKING(Sendrecv, SENDRECV_STATUS_PARAMS, CountSend)
BLOCKING(Sendrecv_replace, REPLACE_STATUS_PARAMS, CountSend)
#ifdef HAVE_ISENDRECV
NONBLOCKING(Isendrecv, SENDRECV_PARAMS, CountSend)
NONBLOCKING(Isendrecv_replace, REPLACE_PARAMS, CountSend)
#endif
ONE_SIDED(WITH_REQUEST)
COLLECTIVES(COLLECTIVE)
#ifdef HAVE_PERSISTENT_COLLECTIVES
COLLECTIVES(PERSISTENT_COLLECTIVE)
#endif

// NOLINTEND(bugprone-macro-parentheses)
