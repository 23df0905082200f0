// SPDX-License-Identifier: GPL-3.0-or-later
#include "requests.h"

#include <pthread.h>
#include <stdlib.h>

enum { kBuckets = 4096 };

struct Persistent {
  MPI_Request request;
  struct Traffic traffic;
  struct Persistent* next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Persistent* buckets[kBuckets];

// A pointer in Open MPI, a number in MPICH.
static struct Persistent** BucketOf(MPI_Request request) {
  const uint64_t bits = (uint64_t)(uintptr_t)request;
  return &buckets[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

// Where the request is, or where the bucket ends.
static struct Persistent** Find(MPI_Request request) {
  struct Persistent** link = BucketOf(request);
  while (*link != NULL && (*link)->request != request) link = &(*link)->next;
  return link;
}

void RememberRequest(MPI_Request request, const struct Call* call,
                     void (*count)(const struct Call*, struct Sink)) {
  struct Traffic traffic = {0};
  count(call, (struct Sink){&traffic, true});
  const struct Volume outside = ReadCounter(&traffic.outside);
  if (traffic.used == 0 && outside.messages == 0) return;
  struct Persistent* const made = calloc(1, sizeof *made);
  if (made == NULL) {
    atomic_fetch_add_explicit(&lost_messages, 1, memory_order_relaxed);
    FreeTraffic(&traffic);
    return;
  }
  made->request = request;
  made->traffic.used = traffic.used;
  atomic_store(&made->traffic.table, atomic_load(&traffic.table));
  AddToCounter(&made->traffic.outside, outside);
  ForgetRequest(request);
  pthread_mutex_lock(&mutex);
  struct Persistent** const bucket = BucketOf(request);
  made->next = *bucket;
  *bucket = made;
  pthread_mutex_unlock(&mutex);
}

void CountStart(MPI_Request request) {
  struct Traffic* const traffic = ThreadTraffic();
  pthread_mutex_lock(&mutex);
  const struct Persistent* const found = *Find(request);
  if (found != NULL) AddTraffic(traffic, &found->traffic);
  pthread_mutex_unlock(&mutex);
}

void ForgetRequest(MPI_Request request) {
  pthread_mutex_lock(&mutex);
  struct Persistent** const link = Find(request);
  struct Persistent* const found = *link;
  if (found != NULL) *link = found->next;
  pthread_mutex_unlock(&mutex);
  if (found == NULL) return;
  FreeTraffic(&found->traffic);
  free(found);
}
