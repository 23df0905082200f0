// SPDX-License-Identifier: GPL-3.0-or-later
#include "thread_state.h"

#include <pthread.h>
#include <stdlib.h>

struct ThreadTrafficEntry {
  struct Traffic traffic;  // first: thread_state points to it
  bool in_use;             // by a thread that has not ended
  struct ThreadTrafficEntry* next;
};

_Thread_local struct ThreadState thread_state
    __attribute__((tls_model("initial-exec")));
_Atomic bool recording;
_Atomic uint32_t types_generation = 1;

void ForgetTypes(void) {
  if (atomic_fetch_add(&types_generation, 1) == UINT32_MAX) {
    atomic_fetch_add(&types_generation, 1);
  }
}

uint64_t FindTypeBytes(MPI_Datatype type) {
  const uint32_t generation = atomic_load(&types_generation);
  MPI_Count bytes = 0;
  // An error of MPI would end the program.
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size_x(type, &bytes);
  thread_state.type = type;
  thread_state.type_bytes = bytes < 0 ? 0 : (uint64_t)bytes;
  thread_state.type_generation = generation;
  return thread_state.type_bytes;
}

// Guards the list and in_use. Entries are never removed.
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct ThreadTrafficEntry* list;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;

static void LeaveTraffic(void* entry) {
  pthread_mutex_lock(&list_mutex);
  ((struct ThreadTrafficEntry*)entry)->in_use = false;
  pthread_mutex_unlock(&list_mutex);
  thread_state.traffic = NULL;
}

static void MakeKey(void) { pthread_key_create(&thread_end, LeaveTraffic); }

static struct ThreadTrafficEntry* UnusedEntry(void) {
  struct ThreadTrafficEntry* entry = list;
  while (entry != NULL && entry->in_use) entry = entry->next;
  if (entry == NULL) {
    entry = calloc(1, sizeof *entry);
    if (entry == NULL) return NULL;
    entry->next = list;
    list = entry;
  }
  entry->in_use = true;
  return entry;
}

struct Traffic* NewThreadTraffic(void) {
  // Counts of threads for which no memory is left; never read.
  static _Thread_local struct Traffic lost;
  pthread_once(&key_once, MakeKey);
  pthread_mutex_lock(&list_mutex);
  struct ThreadTrafficEntry* const entry = UnusedEntry();
  pthread_mutex_unlock(&list_mutex);
  if (entry == NULL) {
    atomic_fetch_add_explicit(&lost_messages, 1, memory_order_relaxed);
    return &lost;
  }
  pthread_setspecific(thread_end, entry);
  thread_state.traffic = &entry->traffic;
  return thread_state.traffic;
}

void AddAllThreads(struct Traffic* sum) {
  pthread_mutex_lock(&list_mutex);
  for (struct ThreadTrafficEntry* entry = list; entry != NULL;
       entry = entry->next) {
    AddTraffic(sum, &entry->traffic);
  }
  pthread_mutex_unlock(&list_mutex);
}
