// SPDX-License-Identifier: GPL-3.0-or-later
// Start and end of MPI, starts of persistent requests, ends of handles.
#include "recorder.h"
#include "wrap.h"

EXPORTED int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) StartRecording();
  return result;
}

EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required,
                             int* provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) StartRecording();
  return result;
}

EXPORTED int MPI_Finalize(void) {
  FinishRecording();
  return PMPI_Finalize();
}

EXPORTED int MPI_Abort(MPI_Comm comm, int code) {
  WriteOwnRow();
  return PMPI_Abort(comm, code);
}

#ifdef HAVE_SESSIONS
EXPORTED int MPI_Session_init(MPI_Info info, MPI_Errhandler handler,
                              MPI_Session* session) {
  NoteSession();
  return PMPI_Session_init(info, handler, session);
}
#endif

EXPORTED int MPI_Start(MPI_Request* request) {
  const int result = PMPI_Start(request);
  if (result == MPI_SUCCESS && Recording()) CountStart(*request);
  return result;
}

EXPORTED int MPI_Startall(int count, MPI_Request requests[]) {
  const int result = PMPI_Startall(count, requests);
  if (result == MPI_SUCCESS && Recording()) {
    for (int i = 0; i < count; ++i) CountStart(requests[i]);
  }
  return result;
}

EXPORTED int MPI_Request_free(MPI_Request* request) {
  // Before MPI can give the handle to another thread.
  if (Recording() && *request != MPI_REQUEST_NULL) ForgetRequest(*request);
  return PMPI_Request_free(request);
}

EXPORTED int MPI_Type_free(MPI_Datatype* type) {
  ForgetTypes();
  return PMPI_Type_free(type);
}
