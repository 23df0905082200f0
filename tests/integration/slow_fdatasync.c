// SPDX-License-Identifier: GPL-3.0-or-later
// For LD_PRELOAD: a disk that takes 30 ms to sync.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int SyncLater(long call, int file) {
  const struct timespec delay = {0, 30 * 1000 * 1000};
  nanosleep(&delay, NULL);
  return (int)syscall(call, file);
}

int fdatasync(int file) { return SyncLater(SYS_fdatasync, file); }
int fsync(int file) { return SyncLater(SYS_fsync, file); }
