// SPDX-License-Identifier: GPL-3.0-or-later
#include "traffic.h"

#include <stdlib.h>

enum { kFirstSlots = 4 };

_Atomic uint64_t lost_messages;

static struct TrafficEntry* FreeSlot(struct TrafficTable* table, uint32_t key) {
  uint32_t slot = TrafficSlot(key, table->mask);
  while (atomic_load_explicit(&table->entries[slot].key,
                              memory_order_relaxed) != 0) {
    slot = (slot + 1) & table->mask;
  }
  return &table->entries[slot];
}

static void CopyEntries(struct TrafficTable* to, struct TrafficTable* from) {
  for (uint32_t i = 0; i <= from->mask; ++i) {
    struct TrafficEntry* const entry = &from->entries[i];
    const uint32_t key =
        atomic_load_explicit(&entry->key, memory_order_relaxed);
    if (key == 0) continue;
    struct TrafficEntry* const copy = FreeSlot(to, key);
    AddToCounter(&copy->sent, ReadCounter(&entry->sent));
    AddToCounter(&copy->received, ReadCounter(&entry->received));
    atomic_store_explicit(&copy->key, key, memory_order_relaxed);
  }
}

// A table with free slots; NULL if no memory is left and the old one is full.
static struct TrafficTable* TableWithFreeSlots(struct Traffic* traffic) {
  struct TrafficTable* const old =
      atomic_load_explicit(&traffic->table, memory_order_relaxed);
  const uint32_t slots = old == NULL ? 0 : old->mask + 1;
  if (traffic->used < slots / 2) return old;
  const size_t larger = slots == 0 ? kFirstSlots : (size_t)slots * 2;
  struct TrafficTable* const table =
      calloc(1, sizeof *table + larger * sizeof table->entries[0]);
  // One slot stays free: it ends the search.
  if (table == NULL) return traffic->used + 1 < slots ? old : NULL;
  table->mask = (uint32_t)larger - 1;
  table->previous = old;
  if (old != NULL) CopyEntries(table, old);
  atomic_store_explicit(&traffic->table, table, memory_order_release);
  return table;
}

struct TrafficEntry* NewTrafficEntry(struct Traffic* traffic, uint32_t key) {
  struct TrafficTable* const table = TableWithFreeSlots(traffic);
  if (table == NULL) {
    atomic_fetch_add_explicit(&lost_messages, 1, memory_order_relaxed);
    return NULL;
  }
  struct TrafficEntry* const entry = FreeSlot(table, key);
  atomic_store_explicit(&entry->key, key, memory_order_release);
  ++traffic->used;
  return entry;
}

void AddTraffic(struct Traffic* traffic, const struct Traffic* more) {
  AddToCounter(&traffic->outside, ReadCounter(&more->outside));
  const struct TrafficTable* const table =
      atomic_load_explicit(&more->table, memory_order_acquire);
  if (table == NULL) return;
  for (uint32_t i = 0; i <= table->mask; ++i) {
    const struct TrafficEntry* const entry = &table->entries[i];
    const uint32_t key =
        atomic_load_explicit(&entry->key, memory_order_acquire);
    if (key == 0) continue;
    struct TrafficEntry* const sum = FindTraffic(traffic, (int)(key - 1));
    if (sum == NULL) continue;
    AddToCounter(&sum->sent, ReadCounter(&entry->sent));
    AddToCounter(&sum->received, ReadCounter(&entry->received));
  }
}

void FreeTraffic(struct Traffic* traffic) {
  struct TrafficTable* table =
      atomic_load_explicit(&traffic->table, memory_order_relaxed);
  while (table != NULL) {
    struct TrafficTable* const previous = table->previous;
    free(table);
    table = previous;
  }
  atomic_store_explicit(&traffic->table, NULL, memory_order_relaxed);
  traffic->used = 0;
}
