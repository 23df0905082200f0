// SPDX-License-Identifier: GPL-3.0-or-later
// For LD_PRELOAD: a disk on which each sync fails while the file named by
// COOLSPAN_FAILING_DISK exists.
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int SyncOrFail(long call, int file) {
  const char* const failing = getenv("COOLSPAN_FAILING_DISK");
  if (failing != NULL && access(failing, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(call, file);
}

int fdatasync(int file) { return SyncOrFail(SYS_fdatasync, file); }
int fsync(int file) { return SyncOrFail(SYS_fsync, file); }
