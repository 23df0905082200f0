// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes and messages by world rank: a hash table that only its owner changes,
// and that other threads may read at any time.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_TRAFFIC_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_TRAFFIC_H_

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// World ranks that are none: no process (MPI_PROC_NULL); a process outside
// MPI_COMM_WORLD, as one that MPI_Comm_spawn started.
enum { kNoProcess = -1, kOutsideWorld = -2 };

struct Volume {
  uint64_t bytes, messages;
};

// One writer: no atomic addition is necessary.
struct Counter {
  _Atomic uint64_t bytes, messages;
};

// Traffic between this process and one other. `received` is what only the
// receiver knows of: the sender's row gets it in the end.
struct TrafficEntry {
  _Atomic uint32_t key;  // world rank + 1; 0: unused
  struct Counter sent, received;
};

struct TrafficTable {
  uint32_t mask;
  struct TrafficTable* previous;  // another thread may still read it
  struct TrafficEntry entries[];
};

struct Traffic {
  _Atomic(struct TrafficTable*) table;  // NULL: empty
  uint32_t used;
  // To or from processes outside MPI_COMM_WORLD, which are in no table.
  struct Counter outside;
};

// Messages that no memory was left for.
extern _Atomic uint64_t lost_messages;

// Adds an entry for the rank; NULL if no memory is left. The first call adds
// to lost_messages then.
struct TrafficEntry* NewTrafficEntry(struct Traffic* traffic, uint32_t key);
// Adds all that is in `more`.
void AddTraffic(struct Traffic* traffic, const struct Traffic* more);
void FreeTraffic(struct Traffic* traffic);

static inline uint32_t TrafficSlot(uint32_t key, uint32_t mask) {
  return ((key * UINT32_C(2654435769)) >> 7) & mask;
}

static inline struct TrafficEntry* FindTraffic(struct Traffic* traffic,
                                               int rank) {
  const uint32_t key = (uint32_t)rank + 1;
  struct TrafficTable* const table =
      atomic_load_explicit(&traffic->table, memory_order_relaxed);
  if (table == NULL) return NewTrafficEntry(traffic, key);
  for (uint32_t slot = TrafficSlot(key, table->mask);;
       slot = (slot + 1) & table->mask) {
    struct TrafficEntry* const entry = &table->entries[slot];
    const uint32_t found =
        atomic_load_explicit(&entry->key, memory_order_relaxed);
    if (found == key) return entry;
    if (found == 0) return NewTrafficEntry(traffic, key);
  }
}

static inline void AddToNumber(_Atomic uint64_t* number, uint64_t more) {
  const uint64_t old = atomic_load_explicit(number, memory_order_relaxed);
  atomic_store_explicit(number, old + more, memory_order_relaxed);
}

static inline void AddToCounter(struct Counter* counter, struct Volume volume) {
  AddToNumber(&counter->bytes, volume.bytes);
  AddToNumber(&counter->messages, volume.messages);
}

static inline struct Volume ReadCounter(const struct Counter* counter) {
  return (struct Volume){
      atomic_load_explicit(&counter->bytes, memory_order_relaxed),
      atomic_load_explicit(&counter->messages, memory_order_relaxed)};
}

// rank: a world rank, kNoProcess or kOutsideWorld.
static inline void AddSent(struct Traffic* traffic, int rank,
                           struct Volume volume) {
  if (rank >= 0) {
    struct TrafficEntry* const entry = FindTraffic(traffic, rank);
    if (entry != NULL) AddToCounter(&entry->sent, volume);
  } else if (rank == kOutsideWorld) {
    AddToCounter(&traffic->outside, volume);
  }
}

static inline void AddReceived(struct Traffic* traffic, int rank,
                               struct Volume volume) {
  if (rank >= 0) {
    struct TrafficEntry* const entry = FindTraffic(traffic, rank);
    if (entry != NULL) AddToCounter(&entry->received, volume);
  } else if (rank == kOutsideWorld) {
    AddToCounter(&traffic->outside, volume);
  }
}

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_TRAFFIC_H_
