// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of one Fortran interface of Open MPI, whose names SYMBOL
// makes of those in lower case. No include guard: see wrap_fortran.c.

FORTRAN_NO_PARAMETERS(init) {
  PASS_ON_NO_PARAMETERS(init);
  if (result == MPI_SUCCESS) StartRecording();
}

FORTRAN(init_thread, MPI_Fint* required, MPI_Fint* provided) {
  PASS_ON(init_thread, required, provided);
  if (result == MPI_SUCCESS) StartRecording();
}

FORTRAN_NO_PARAMETERS(finalize) {
  FinishRecording();
  PASS_ON_NO_PARAMETERS(finalize);
}

FORTRAN(abort, MPI_Fint* comm, MPI_Fint* code) {
  WriteOwnRow();
  PASS_ON(abort, comm, code);
}

FORTRAN(start, MPI_Fint* request) {
  PASS_ON(start, request);
  if (result != MPI_SUCCESS) return;
  if (Recording()) CountStart(PMPI_Request_f2c(*request));
}

FORTRAN(startall, MPI_Fint* count, MPI_Fint* requests) {
  PASS_ON(startall, count, requests);
  if (result != MPI_SUCCESS) return;
  if (!Recording()) return;
  for (int i = 0; i < *count; ++i) CountStart(PMPI_Request_f2c(requests[i]));
}

FORTRAN(request_free, MPI_Fint* request) {
  if (Recording()) ForgetRequest(PMPI_Request_f2c(*request));
  PASS_ON(request_free, request);
}

SENDS(SEND)
BLOCKING(sendrecv, SENDRECV_STATUS_PARAMS, CountSend)
BLOCKING(sendrecv_replace, REPLACE_STATUS_PARAMS, CountSend)
#ifdef HAVE_ISENDRECV
NONBLOCKING(isendrecv, SENDRECV_PARAMS, CountSend)
NONBLOCKING(isendrecv_replace, REPLACE_PARAMS, CountSend)
#endif
ONE_SIDED(WITH_REQUEST)
BLOCKING(fetch_and_op, FETCH_AND_OP_PARAMS, CountFetchAndOp)
BLOCKING(compare_and_swap, COMPARE_AND_SWAP_PARAMS, CountCompareAndSwap)
COLLECTIVES(COLLECTIVE)
#ifdef HAVE_PERSISTENT_COLLECTIVES
COLLECTIVES(PERSISTENT_COLLECTIVE)
#endif
