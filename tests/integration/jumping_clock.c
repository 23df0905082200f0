// SPDX-License-Identifier: GPL-3.0-or-later
// For LD_PRELOAD: a host whose clock is set ahead and back several times a
// second.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (clock != CLOCK_REALTIME || result != 0) return result;
  struct timespec steady;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
  const long phase = (steady.tv_sec * 10 + steady.tv_nsec / 100000000) % 8;
  if (phase == 3) now->tv_sec += 3600;
  if (phase == 5) now->tv_sec += 10L * 365 * 24 * 3600;
  if (phase == 7) now->tv_sec -= 3600;
  return result;
}
