// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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

void OpenOutput(struct Output* output, const char* path) {
  snprintf(output->path, sizeof output->path, "%s", path);
  snprintf(output->temporary, sizeof output->temporary, "%s.%ld.tmp", path,
           (long)getpid());
  output->file = fopen(output->temporary, "we");
  if (output->file == NULL) ReportError("write", path);
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
