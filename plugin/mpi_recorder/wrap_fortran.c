// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of Fortran interfaces that call PMPI: those of Open MPI, and
// `use mpi_f08` of MPICH. MPICH's mpif.h and `use mpi` call the C interface.
// All arguments are addresses. A function that calls the C interface after all
// is not counted twice (inside_fortran).
//
// For each interface SYMBOL(prefix, name) is the name of a function,
// PMPI_PREFIX the prefix of the function of MPI, IN_PLACE(x) says whether a
// buffer is MPI_IN_PLACE, F_COUNT, F_OFFSET and COUNTS are as in c_wrappers.h.
#include <dlfcn.h>

#include "recorder.h"
#include "wrap.h"

#if defined(OPEN_MPI) || defined(MPICH_VERSION)

// NOLINTBEGIN(bugprone-macro-parentheses): names of parameters

// Parameters as declared; USE_ passes them on.
#define DECL_SBUF(x) void* x
#define DECL_SBUF2(x) void* x
#define DECL_BUF(x) void* x
#define DECL_RBUF(x) void* x
#define DECL_SCOUNT(x) F_COUNT* x
#define DECL_RCOUNT(x) F_COUNT* x
#define DECL_TCOUNT(x) F_COUNT* x
#define DECL_STYPE(x) MPI_Fint* x
#define DECL_RTYPE(x) MPI_Fint* x
#define DECL_TTYPE(x) MPI_Fint* x
#define DECL_SCOUNTS(x) F_COUNT* x
#define DECL_RCOUNTS(x) F_COUNT* x
#define DECL_D(x) F_OFFSET* x
#define DECL_PARTITIONS(x) MPI_Fint* x
#define DECL_PCOUNT(x) MPI_Count* x
#define DECL_AINTS(x) MPI_Aint* x
#define DECL_STYPES(x) MPI_Fint* x
#define DECL_RTYPES(x) MPI_Fint* x
#define DECL_PEER(x) MPI_Fint* x
#define DECL_N(x) MPI_Fint* x
#define DECL_DISP(x) MPI_Aint* x
#define DECL_OP(x) MPI_Fint* x
#define DECL_COMM(x) MPI_Fint* x
#define DECL_WIN(x) MPI_Fint* x
#define DECL_STATUS(x) MPI_Fint* x

#define USE_SBUF(x) x
#define USE_SBUF2(x) x
#define USE_BUF(x) x
#define USE_RBUF(x) x
#define USE_SCOUNT(x) x
#define USE_RCOUNT(x) x
#define USE_TCOUNT(x) x
#define USE_STYPE(x) x
#define USE_RTYPE(x) x
#define USE_TTYPE(x) x
#define USE_SCOUNTS(x) x
#define USE_RCOUNTS(x) x
#define USE_D(x) x
#define USE_PARTITIONS(x) x
#define USE_PCOUNT(x) x
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
#define SET_SBUF(x) call.in_place = IN_PLACE(x)
#define SET_SBUF2(x) (void)(x)
#define SET_BUF(x) (void)(x)
#define SET_RBUF(x) (void)(x)
#define SET_SCOUNT(x) call.send_count = *(x)
#define SET_RCOUNT(x) call.receive_count = *(x)
#define SET_TCOUNT(x) (void)(x)
#define SET_STYPE(x) call.send_type = PMPI_Type_f2c(*(x))
#define SET_RTYPE(x) call.receive_type = PMPI_Type_f2c(*(x))
#define SET_TTYPE(x) (void)(x)
#define SET_SCOUNTS(x) call.send_counts.COUNTS = (x)
#define SET_RCOUNTS(x) call.receive_counts.COUNTS = (x)
#define SET_D(x) (void)(x)
#define SET_PARTITIONS(x) call.partitions = *(x)
#define SET_PCOUNT(x) call.send_count = *(x)
#define SET_AINTS(x) (void)(x)
#define SET_STYPES(x) call.send_types.fortran = (x)
#define SET_RTYPES(x) call.receive_types.fortran = (x)
#define SET_PEER(x) call.peer = *(x)
#define SET_N(x) (void)(x)
#define SET_DISP(x) (void)(x)
#define SET_OP(x) call.no_op = PMPI_Op_f2c(*(x)) == MPI_NO_OP
#define SET_COMM(x) call.comm = PMPI_Comm_f2c(*(x))
#define SET_WIN(x) call.win = PMPI_Win_f2c(*(x))
#define SET_STATUS(x) (void)(x)

// Absent, with all else of Fortran, from a program in C.
#define FORTRAN(name, ...)                                         \
  void SYMBOL(PMPI_PREFIX, name)(__VA_ARGS__, MPI_Fint * error)    \
      __attribute__((weak));                                       \
  EXPORTED void SYMBOL(mpi_, name)(__VA_ARGS__, MPI_Fint * error); \
  EXPORTED void SYMBOL(mpi_, name)(__VA_ARGS__, MPI_Fint * error)

#define FORTRAN_NO_PARAMETERS(name)                                       \
  void SYMBOL(PMPI_PREFIX, name)(MPI_Fint * error) __attribute__((weak)); \
  EXPORTED void SYMBOL(mpi_, name)(MPI_Fint * error);                     \
  EXPORTED void SYMBOL(mpi_, name)(MPI_Fint * error)

// The function of MPI to pass a call on to. Open MPI 5.0.7 has some without
// their name in PMPI, such as pmpi_ineighbor_alltoallv_f08_.
#define TO_PASS_ON_TO(name)                                                    \
  __typeof__(&SYMBOL(PMPI_PREFIX, name)) function = SYMBOL(PMPI_PREFIX, name); \
  if (function == NULL) {                                                      \
    *(void**)&function = dlsym(RTLD_NEXT, TEXT(SYMBOL(mpi_, name)));           \
  }

// Calls the function of MPI. `error` is optional in mpi_f08.
#define PASS_ON(name, ...)        \
  TO_PASS_ON_TO(name)             \
  MPI_Fint result = MPI_SUCCESS;  \
  ++thread_state.inside_fortran;  \
  function(__VA_ARGS__, &result); \
  --thread_state.inside_fortran;  \
  if (error != NULL) *error = result

#define PASS_ON_NO_PARAMETERS(name)   \
  MPI_Fint result = MPI_SUCCESS;      \
  SYMBOL(PMPI_PREFIX, name)(&result); \
  if (error != NULL) *error = result

#define BLOCKING(name, PARAMS, Count)  \
  FORTRAN(name, PARAMS(DECL_)) {       \
    PASS_ON(name, PARAMS(USE_));       \
    if (result != MPI_SUCCESS) return; \
    if (!Recording()) return;          \
    struct Call call = {0};            \
    PARAMS(SET_);                      \
    Count(&call, ThreadSink());        \
  }

#define NONBLOCKING(name, PARAMS, Count)            \
  FORTRAN(name, PARAMS(DECL_), MPI_Fint* request) { \
    PASS_ON(name, PARAMS(USE_), request);           \
    if (result != MPI_SUCCESS) return;              \
    if (!Recording()) return;                       \
    struct Call call = {0};                         \
    PARAMS(SET_);                                   \
    Count(&call, ThreadSink());                     \
  }

#define PERSISTENT(name, PARAMS, Count)                        \
  FORTRAN(name, PARAMS(DECL_), MPI_Fint* request) {            \
    PASS_ON(name, PARAMS(USE_), request);                      \
    if (result != MPI_SUCCESS) return;                         \
    if (!Recording()) return;                                  \
    struct Call call = {0};                                    \
    PARAMS(SET_);                                              \
    RememberRequest(PMPI_Request_f2c(*request), &call, Count); \
  }

#define PERSISTENT_INFO(name, PARAMS, Count)                        \
  FORTRAN(name, PARAMS(DECL_), MPI_Fint* info, MPI_Fint* request) { \
    PASS_ON(name, PARAMS(USE_), info, request);                     \
    if (result != MPI_SUCCESS) return;                              \
    if (!Recording()) return;                                       \
    struct Call call = {0};                                         \
    PARAMS(SET_);                                                   \
    RememberRequest(PMPI_Request_f2c(*request), &call, Count);      \
  }

#define SEND(Name, lower, PARAMS, Count) \
  BLOCKING(lower, PARAMS, Count)         \
  NONBLOCKING(i##lower, PARAMS, Count)   \
  PERSISTENT(lower##_init, PARAMS, Count)

#define WITH_REQUEST(Name, lower, PARAMS, Count) \
  BLOCKING(lower, PARAMS, Count)                 \
  NONBLOCKING(r##lower, PARAMS, Count)

#define COLLECTIVE(Name, lower, PARAMS, Count) \
  BLOCKING(lower, PARAMS, Count)               \
  NONBLOCKING(i##lower, PARAMS, Count)

#define PERSISTENT_COLLECTIVE(Name, lower, PARAMS, Count) \
  PERSISTENT_INFO(lower##_init, PARAMS, Count)

// Without a variant for large counts.
#define FORTRAN_ATOMICS                                        \
  BLOCKING(fetch_and_op, FETCH_AND_OP_PARAMS, CountFetchAndOp) \
  BLOCKING(compare_and_swap, COMPARE_AND_SWAP_PARAMS, CountCompareAndSwap)

// NOLINTEND(bugprone-macro-parentheses)

#define PASTE(prefix, name, suffix) prefix##name##suffix
#define NAME(prefix, name, suffix) PASTE(prefix, name, suffix)
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

#define F_COUNT MPI_Fint
#define F_OFFSET MPI_Fint
#define COUNTS ints

#ifdef OPEN_MPI

extern int mpi_fortran_in_place_ __attribute__((weak));
#define IN_PLACE(x) ((x) == (void*)&mpi_fortran_in_place_)
#define PMPI_PREFIX pmpi_

#define SYMBOL(prefix, name) NAME(prefix, name, _)
#include "fortran_lifecycle.h"
#include "fortran_wrappers.h"
FORTRAN_ATOMICS
#undef SYMBOL
#define SYMBOL(prefix, name) NAME(prefix, name, _f08_)
#include "fortran_lifecycle.h"
#include "fortran_wrappers.h"
FORTRAN_ATOMICS

#else

// In a library for Fortran, which a program in C does not load.
extern int MPIR_F08_MPI_IN_PLACE __attribute__((weak));

// A buffer is a descriptor, which begins with the address.
#define IN_PLACE(x) (*(void**)(x) == (void*)&MPIR_F08_MPI_IN_PLACE)
#define PMPI_PREFIX pmpir_

#define SYMBOL(prefix, name) NAME(prefix, name, _f08_)
#include "fortran_lifecycle.h"
#undef SYMBOL
#define SYMBOL(prefix, name) NAME(prefix, name, _f08ts_)
#include "fortran_wrappers.h"
FORTRAN_ATOMICS
#ifdef HAVE_PARTITIONED
PERSISTENT_INFO(psend_init, PSEND_PARAMS, CountPartitionedSend)
#endif

#ifdef HAVE_LARGE_COUNTS
#undef SYMBOL
#undef F_COUNT
#undef F_OFFSET
#undef COUNTS
#ifdef HAVE_F08_C
#define SYMBOL(prefix, name) NAME(prefix, name, _c_f08ts_)
#else
#define SYMBOL(prefix, name) NAME(prefix, name, _f08ts_large_)
#endif
#define F_COUNT MPI_Count
#define F_OFFSET MPI_Aint
#define COUNTS large
#include "fortran_wrappers.h"
#endif

#endif

#endif
