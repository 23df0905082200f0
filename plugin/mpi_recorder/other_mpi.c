// SPDX-License-Identifier: GPL-3.0-or-later
// A program that uses another MPI than the library was built for. The library's
// own MPI then takes the place of the program's in part, and handles are
// numbers in one and pointers in the other, so that calls cannot be passed on.
// The program is started again without the library, before any call of MPI.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

// What mpi.h of the other MPI refers to, in all implementations of its ABI.
#ifdef OPEN_MPI
static const char kSymbolOfOther[] = "MPIR_Dup_fn";
#define NAMES "library for Open MPI in a program that uses MPICH or its ABI"
#else
static const char kSymbolOfOther[] = "ompi_mpi_comm_world";
#define NAMES "library for MPICH in a program that uses Open MPI"
#endif

// Takes the library out of LD_PRELOAD; false: it was loaded in another way.
static bool RemoveFromPreload(const char* library) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before main
  const char* preload = getenv("LD_PRELOAD");
  if (preload == NULL) return false;
  char* const left = calloc(1, strlen(preload) + 1);
  if (left == NULL) return false;
  size_t used = 0;
  bool found = false;
  while (*preload != '\0') {
    const size_t length = strcspn(preload, ": ");
    const bool is_own =
        length == strlen(library) && strncmp(preload, library, length) == 0;
    const size_t with_separator = length + (preload[length] != '\0');
    if (!is_own) {
      memcpy(left + used, preload, with_separator);
      used += with_separator;
    }
    found = found || is_own;
    preload += with_separator;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before main
  const bool set = found && setenv("LD_PRELOAD", left, 1) == 0;
  free(left);
  return set;
}

__attribute__((constructor)) static void LeaveProgramsOfOtherMpi(int argc,
                                                                 char** argv) {
  (void)argc;
  if (dlsym(RTLD_DEFAULT, kSymbolOfOther) == NULL) return;
  Dl_info own;
  if (dladdr(kSymbolOfOther, &own) != 0 && RemoveFromPreload(own.dli_fname)) {
    Report("nothing is recorded: %s (expected the library for its MPI)", NAMES);
    execv("/proc/self/exe", argv);
    Report("cannot start the program again: %s", strerrordesc_np(errno));
  } else {
    Report("cannot start the program: %s (expected the library for its MPI)",
           NAMES);
  }
  _exit(EXIT_FAILURE);
}
