// SPDX-License-Identifier: GPL-3.0-or-later
// Start and end of MPI, starts of persistent requests and ends of handles in
// one Fortran interface. No include guard: wrap_fortran.c includes it once for
// each interface.

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

FORTRAN(type_free, MPI_Fint* type) {
  ForgetTypes();
  PASS_ON(type_free, type);
}
