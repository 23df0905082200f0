// SPDX-License-Identifier: GPL-3.0-or-later
// Start, end and output of a recording.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_RECORDER_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_RECORDER_H_

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// What this process sent, by world rank.
struct Row {
  int ranks;
  uint64_t* bytes;
  uint64_t* messages;
};

// --- recorder.c

// After MPI_Init. Collective over MPI_COMM_WORLD.
void StartRecording(void);
// Before MPI_Finalize. Collective over MPI_COMM_WORLD.
void FinishRecording(void);
// Before MPI_Abort and at an exit without MPI_Finalize: writes the row of this
// process alone, without MPI.
void WriteOwnRow(void);
// The program uses MPI sessions.
void NoteSession(void);

// --- gather.c

// Adds to the rows of the senders what their receivers counted, then writes the
// rows of all processes on rank 0, one line each. Collective. bytes and
// messages are NULL on other ranks or if they cannot be written, and messages
// also if nobody asked for it. other: memory for a row.
void WriteMatrix(MPI_Comm comm, struct Row* own, const struct Row* received,
                 uint64_t* other, FILE* bytes, FILE* messages);

// --- output.c

enum { kPathMax = 4096 };

// The absolute path that the environment variable asks for, or `fallback`, with
// %j, %s, %p and %% replaced. false: the variable is not set and fallback is
// NULL.
bool OutputPath(const char* variable, const char* fallback,
                char path[kPathMax]);

// A file that replaces the one at `path` when it is complete. A symbolic
// link is replaced, not followed.
struct Output {
  char path[kPathMax];
  char temporary[kPathMax + 32];
  FILE* file;  // NULL: could not be opened, which is reported
};
// Not opened: what exists at `path` and is not a regular file.
void OpenOutput(struct Output* output, const char* path);
void CloseOutput(struct Output* output);
void WriteLine(FILE* file, const uint64_t* numbers, int count);
// One line on stderr.
void Report(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_RECORDER_H_
