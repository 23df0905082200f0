// SPDX-License-Identifier: GPL-3.0-or-later
// traffic CASE...: communicates. traffic --list: the cases that this MPI has.
// traffic --child: what the case "spawn" starts. traffic --session: a session.
#include "traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank, size;
int to_send[kNumbers], to_receive[kNumbers];

static const struct Case* const tables[] = {
    point_to_point_cases, persistent_cases, collective_cases, neighbour_cases,
    communicator_cases,   one_sided_cases,  ending_cases};
enum { kTables = sizeof tables / sizeof tables[0] };

static void List(void) {
  for (int i = 0; i < kTables; ++i) {
    for (const struct Case* c = tables[i]; c->name != NULL; ++c) puts(c->name);
  }
}

static void Run(const char* name) {
  for (int i = 0; i < kTables; ++i) {
    for (const struct Case* c = tables[i]; c->name != NULL; ++c) {
      if (strcmp(c->name, name) != 0) continue;
      c->run();
      return;
    }
  }
  fprintf(stderr, "no case %s\n", name);
  exit(2);
}

static void BeChild(void) {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  for (int i = 0; i < 4; ++i) {
    MPI_Recv(to_receive, kNumbers, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
  }
  MPI_Send(to_send, 5, MPI_INT, 0, 0, parent);
  MPI_Comm_disconnect(&parent);
}

// MPI without MPI_Init.
static int UseSession(void) {
#ifdef HAVE_SESSIONS
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_finalize(&session);
#endif
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--session") == 0) return UseSession();
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    List();
    return 0;
  }
  int provided = MPI_THREAD_SINGLE;
  if (argc > 1 && strcmp(argv[1], "threads") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--child") == 0) {
      BeChild();
    } else {
      Run(argv[i]);
    }
  }
  MPI_Finalize();
  return 0;
}
