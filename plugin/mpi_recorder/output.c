// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"

void Report(const char* format, ...) {
  char line[kPathMax + 256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  // In one piece: other processes write to stderr too.
  if (length > 0) fprintf(stderr, "libcoolspan_pattern: %s\n", line);
}

static void ReportError(const char* what, const char* path) {
  Report("cannot %s %s: %s", what, path, strerrordesc_np(errno));
}

static const char* Variable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read in MPI_Init, as MPI does
  return getenv(name);
}

static const char* Known(const char* value) {
  return value == NULL ? "none" : value;
}

// Appends what the letter after % stands for.
static size_t Append(char* path, size_t length, char letter) {
  char number[32];
  const char* text = number;
  switch (letter) {
    case 'j':
      text = Known(Variable("SLURM_JOB_ID"));
      break;
    case 's':
      text = Known(Variable("SLURM_STEP_ID"));
      break;
    case 'p':
      snprintf(number, sizeof number, "%ld", (long)getpid());
      break;
    case '%':
      text = "%";
      break;
    default:
      snprintf(number, sizeof number, "%%%c", letter);
  }
  const int added = snprintf(path + length, kPathMax - length, "%s", text);
  return length + (size_t)added;
}

bool OutputPath(const char* variable, const char* fallback,
                char path[kPathMax]) {
  const char* asked = Variable(variable);
  if (asked == NULL || *asked == '\0') asked = fallback;
  if (asked == NULL) return false;
  size_t length = 0;
  path[0] = '\0';
  // The program may change its working directory.
  if (*asked != '/' && getcwd(path, kPathMax - 1) != NULL) {
    length = strlen(path);
    path[length++] = '/';
  }
  for (; *asked != '\0' && length < kPathMax - 1; ++asked) {
    if (*asked == '%' && asked[1] != '\0') {
      length = Append(path, length, *++asked);
    } else {
      path[length++] = *asked;
    }
    if (length > kPathMax - 1) length = kPathMax - 1;
  }
  path[length] = '\0';
  return true;
}

// Whether `path` names nothing yet, or a regular file; reports what else it is.
static bool IsReplaceable(const char* path) {
  struct stat status;
  // Other errors are reported when the new file cannot be created.
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) return true;
  Report("cannot write %s: not a regular file (expected a new or regular file)",
         path);
  return false;
}

// A new file beside the target, which no other process has: a process id is not
// enough where containers share a file system. Returns a descriptor, or -1.
static int CreateTemporary(struct Output* output) {
  enum { kAttempts = 100 };
  int descriptor = -1;
  for (int i = 0; i < kAttempts && descriptor < 0; ++i) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0) {
      number = (uint64_t)getpid() * kAttempts + (uint64_t)i;
    }
    snprintf(output->temporary, sizeof output->temporary, "%s.%016llx.tmp",
             output->path, (unsigned long long)number);
    descriptor =
        open(output->temporary,
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  return descriptor;
}

void OpenOutput(struct Output* output, const char* path) {
  if (!IsReplaceable(path)) return;
  snprintf(output->path, sizeof output->path, "%s", path);
  const int descriptor = CreateTemporary(output);
  if (descriptor >= 0) output->file = fdopen(descriptor, "w");
  if (output->file != NULL) return;
  ReportError("write", path);
  if (descriptor < 0) return;
  close(descriptor);
  unlink(output->temporary);
}

void CloseOutput(struct Output* output) {
  if (output->file == NULL) return;
  const bool failed = ferror(output->file) != 0;
  if (fclose(output->file) != 0 || failed) {
    ReportError("write", output->path);
    unlink(output->temporary);
  } else if (rename(output->temporary, output->path) != 0) {
    ReportError("rename the new file to", output->path);
    unlink(output->temporary);
  }
  output->file = NULL;
}

void WriteLine(FILE* file, const uint64_t* numbers, int count) {
  if (file == NULL) return;
  for (int i = 0; i < count; ++i) {
    fprintf(file, i == 0 ? "%llu" : ",%llu", (unsigned long long)numbers[i]);
  }
  fputc('\n', file);
}
