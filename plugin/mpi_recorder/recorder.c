// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counting.h"
#include "ranks.h"
#include "thread_state.h"
#include "traffic.h"

static MPI_Comm private_comm = MPI_COMM_NULL;
static pid_t recorded_process;  // 0: none; a forked child is another one
static _Atomic bool session_noted;
static bool unknown_collectives;  // the value of the variable
static char bytes_path[kPathMax];
static char messages_path[kPathMax];  // empty: not asked for

static void Suffix(char path[kPathMax], const char* suffix) {
  const size_t length = strlen(path);
  if (length > 0) snprintf(path + length, kPathMax - length, "%s", suffix);
}

static bool IsOneOf(const char* value, const char* a, const char* b) {
  return value != NULL && (strcmp(value, a) == 0 || strcmp(value, b) == 0);
}

static void ReadEnvironment(void) {
  OutputPath("COOLSPAN_PATTERN_FILE", "coolspan-pattern.csv", bytes_path);
  if (!OutputPath("COOLSPAN_PATTERN_MESSAGES", NULL, messages_path)) {
    messages_path[0] = '\0';
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read in MPI_Init, as MPI does
  const char* const collectives = getenv("COOLSPAN_PATTERN_COLLECTIVES");
  count_collectives = !IsOneOf(collectives, "no", "0");
  unknown_collectives = count_collectives && collectives != NULL &&
                        collectives[0] != '\0' &&
                        !IsOneOf(collectives, "yes", "1");
}

// One line, not one for each process.
static void WarnOfEnvironment(void) {
  int rank = 0;
  if (!unknown_collectives ||
      PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || rank != 0) {
    return;
  }
  Report(
      "warning: COOLSPAN_PATTERN_COLLECTIVES: unknown value; collectives are "
      "counted (expected yes, 1, no or 0)");
}

// Processes that MPI_Comm_spawn started have an MPI_COMM_WORLD of their own.
static void UseOwnFilesIfSpawned(void) {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return;
  char suffix[40];
  snprintf(suffix, sizeof suffix, ".spawned-%ld", (long)getpid());
  Suffix(bytes_path, suffix);
  Suffix(messages_path, suffix);
}

void StartRecording(void) {
  if (recorded_process != 0) return;
  ReadEnvironment();
  WarnOfEnvironment();
  UseOwnFilesIfSpawned();
  // Here, not in MPI_Finalize, because a copy calls the copy functions of the
  // program's own attributes.
  int error = PMPI_Comm_dup(MPI_COMM_WORLD, &private_comm);
  if (error == MPI_SUCCESS) {
    error = PMPI_Comm_set_errhandler(private_comm, MPI_ERRORS_RETURN);
  }
  if (error == MPI_SUCCESS) error = StartRanks();
  if (error != MPI_SUCCESS) {
    Report("nothing is recorded: error %d of MPI at the start", error);
    return;
  }
  recorded_process = getpid();
  atomic_store(&recording, true);
}

// --- the rows of this process

struct Rows {
  struct Row sent, received;
  uint64_t* other;
  struct Volume outside;  // to or from processes outside MPI_COMM_WORLD
};

static bool NewRows(int ranks, struct Rows* rows) {
  uint64_t* const numbers = calloc((size_t)ranks * 5, sizeof *numbers);
  if (numbers == NULL) return false;
  rows->sent = (struct Row){ranks, numbers, numbers + ranks};
  rows->received = (struct Row){ranks, rows->sent.messages + ranks,
                                rows->sent.messages + 2 * (size_t)ranks};
  rows->other = rows->received.messages + ranks;
  return true;
}

static void FreeRows(struct Rows* rows) { free(rows->sent.bytes); }

static void AddToRow(struct Row* row, int rank, struct Volume volume) {
  row->bytes[rank] += volume.bytes;
  row->messages[rank] += volume.messages;
}

// Other threads may be counting.
static void FillRows(struct Rows* rows) {
  struct Traffic sum = {0};
  AddAllThreads(&sum);
  AddLiveRanks(&sum);
  const struct TrafficTable* const table = atomic_load(&sum.table);
  for (uint32_t i = 0; table != NULL && i <= table->mask; ++i) {
    const struct TrafficEntry* const entry = &table->entries[i];
    const uint32_t key = atomic_load(&entry->key);
    if (key == 0) continue;
    AddToRow(&rows->sent, (int)(key - 1), ReadCounter(&entry->sent));
    AddToRow(&rows->received, (int)(key - 1), ReadCounter(&entry->received));
  }
  rows->outside = ReadCounter(&sum.outside);
  FreeTraffic(&sum);
}

// --- MPI_Finalize

static void WriteAll(struct Rows* rows) {
  struct Output bytes = {.file = NULL};
  struct Output messages = {.file = NULL};
  if (world_ranks.my_rank == 0) {
    OpenOutput(&bytes, bytes_path);
    if (messages_path[0] != '\0') OpenOutput(&messages, messages_path);
  }
  WriteMatrix(private_comm, &rows->sent, &rows->received, rows->other,
              bytes.file, messages.file);
  CloseOutput(&bytes);
  CloseOutput(&messages);
}

static void ReportOmissions(struct Volume outside) {
  const uint64_t own[3] = {outside.messages, outside.bytes,
                           atomic_load(&lost_messages)};
  uint64_t all[3] = {0, 0, 0};
  PMPI_Reduce(own, all, 3, MPI_UINT64_T, MPI_SUM, 0, private_comm);
  if (world_ranks.my_rank != 0) return;
  if (all[0] != 0) {
    Report(
        "%llu bytes (messages: %llu) to or from processes outside "
        "MPI_COMM_WORLD are not in %s",
        (unsigned long long)all[1], (unsigned long long)all[0], bytes_path);
  }
  if (all[2] != 0) {
    Report("at least %llu messages are not in %s: out of memory",
           (unsigned long long)all[2], bytes_path);
  }
}

void FinishRecording(void) {
  if (!atomic_exchange(&recording, false)) return;
  struct Rows rows = {.other = NULL};
  const int filled = NewRows(world_ranks.size, &rows) ? 1 : 0;
  if (filled) FillRows(&rows);
  int all_filled = 0;
  PMPI_Allreduce(&filled, &all_filled, 1, MPI_INT, MPI_MIN, private_comm);
  if (all_filled) {
    WriteAll(&rows);
    ReportOmissions(rows.outside);
  } else if (world_ranks.my_rank == 0) {
    Report("cannot write %s: out of memory", bytes_path);
  }
  if (filled) FreeRows(&rows);
  EndRanks();
  PMPI_Comm_free(&private_comm);
}

// --- an end without MPI_Finalize

// As many digits as the highest rank, so that the files are in the order of
// ranks.
static void AddRank(char path[kPathMax]) {
  char last[16];
  const int digits = snprintf(last, sizeof last, "%d", world_ranks.size - 1);
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".rank-%0*d", digits, world_ranks.my_rank);
  Suffix(path, suffix);
}

static void WriteRowFile(const char* path, const uint64_t* numbers) {
  if (path[0] == '\0') return;
  struct Output output = {.file = NULL};
  OpenOutput(&output, path);
  WriteLine(output.file, numbers, world_ranks.size);
  CloseOutput(&output);
}

void WriteOwnRow(void) {
  if (recorded_process != getpid()) return;
  if (!atomic_exchange(&recording, false)) return;
  struct Rows rows = {.other = NULL};
  if (!NewRows(world_ranks.size, &rows)) return;
  FillRows(&rows);
  AddRank(bytes_path);
  AddRank(messages_path);
  Report("rank %d ended without MPI_Finalize: its row alone goes to %s",
         world_ranks.my_rank, bytes_path);
  WriteRowFile(bytes_path, rows.sent.bytes);
  WriteRowFile(messages_path, rows.sent.messages);
  FreeRows(&rows);
}

void NoteSession(void) { atomic_store(&session_noted, true); }

__attribute__((destructor)) static void AtExit(void) {
  WriteOwnRow();
  if (recorded_process == 0 && atomic_load(&session_noted)) {
    Report("nothing is recorded: the program uses MPI sessions only");
  }
}
