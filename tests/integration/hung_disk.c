// SPDX-License-Identifier: GPL-3.0-or-later
// For LD_PRELOAD: a disk that does not answer a sync while the file named by
// COOLSPAN_HUNG_DISK exists.
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int SyncOnceAwake(long call, int file) {
  const struct timespec pause = {0, 10 * 1000 * 1000};
  const char* const hung = getenv("COOLSPAN_HUNG_DISK");
  while (hung != NULL && access(hung, F_OK) == 0) nanosleep(&pause, NULL);
  return (int)syscall(call, file);
}

int fdatasync(int file) { return SyncOnceAwake(SYS_fdatasync, file); }
int fsync(int file) { return SyncOnceAwake(SYS_fsync, file); }
