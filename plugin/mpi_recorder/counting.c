// SPDX-License-Identifier: GPL-3.0-or-later
// Sends, one-sided calls and neighbourhood collectives.
#include "counting.h"

void CountPartitionedSend(const struct Call* call, struct Sink sink) {
  struct Call all = *call;
  all.send_count = call->partitions * call->send_count;
  CountSend(&all, sink);
}

// --- one-sided: counted by the origin, in either direction

static void CountOneSided(const struct Call* call, struct Sink sink,
                          struct Volume to_target, struct Volume to_origin) {
  if (call->peer < 0) return;
  const struct Ranks* const ranks = WinRanks(call->win);
  if (ranks == NULL) return;
  const int target = WorldRank(ranks, call->peer);
  if (to_target.messages != 0) AddSent(sink.traffic, target, to_target);
  if (to_origin.messages != 0) AddReceived(sink.traffic, target, to_origin);
}

static struct Volume OneMessage(uint64_t bytes) {
  return (struct Volume){bytes, 1};
}

static struct Volume NoMessage(void) { return (struct Volume){0, 0}; }

void CountPut(const struct Call* call, struct Sink sink) {
  const uint64_t bytes = BytesOf(call->send_count, call->send_type);
  CountOneSided(call, sink, OneMessage(bytes), NoMessage());
}

void CountGet(const struct Call* call, struct Sink sink) {
  const uint64_t bytes = BytesOf(call->send_count, call->send_type);
  CountOneSided(call, sink, NoMessage(), OneMessage(bytes));
}

void CountGetAccumulate(const struct Call* call, struct Sink sink) {
  const uint64_t sent = BytesOf(call->send_count, call->send_type);
  const uint64_t fetched = BytesOf(call->receive_count, call->receive_type);
  CountOneSided(call, sink, call->no_op ? NoMessage() : OneMessage(sent),
                OneMessage(fetched));
}

void CountFetchAndOp(const struct Call* call, struct Sink sink) {
  const uint64_t bytes = BytesOf(1, call->send_type);
  CountOneSided(call, sink, call->no_op ? NoMessage() : OneMessage(bytes),
                OneMessage(bytes));
}

// The value and what it is compared with, then the old value.
void CountCompareAndSwap(const struct Call* call, struct Sink sink) {
  const uint64_t bytes = BytesOf(1, call->send_type);
  CountOneSided(call, sink, OneMessage(2 * bytes), OneMessage(bytes));
}

// --- neighbourhood collectives

static const struct Neighbours* CallNeighbours(const struct Call* call) {
  if (!count_collectives) return NULL;
  struct Ranks* const ranks = CommRanks(call->comm);
  return ranks == NULL ? NULL : NeighboursOf(call->comm, ranks);
}

static void SendBlock(struct Sink sink, int world_rank, uint64_t bytes) {
  if (bytes != 0) AddSent(sink.traffic, world_rank, OneMessage(bytes));
}

// Neighbor_allgather, _allgatherv, _alltoall: the same to each.
void CountNeighbourAllgather(const struct Call* call, struct Sink sink) {
  const struct Neighbours* const to = CallNeighbours(call);
  if (to == NULL) return;
  const uint64_t bytes = BytesOf(call->send_count, call->send_type);
  for (int i = 0; i < to->count; ++i) SendBlock(sink, to->world[i], bytes);
}

void CountNeighbourAlltoallv(const struct Call* call, struct Sink sink) {
  const struct Neighbours* const to = CallNeighbours(call);
  if (to == NULL) return;
  for (int i = 0; i < to->count; ++i) {
    SendBlock(sink, to->world[i],
              BytesOf(CountAt(call->send_counts, i), call->send_type));
  }
}

void CountNeighbourAlltoallw(const struct Call* call, struct Sink sink) {
  const struct Neighbours* const to = CallNeighbours(call);
  if (to == NULL) return;
  for (int i = 0; i < to->count; ++i) {
    SendBlock(
        sink, to->world[i],
        BytesOf(CountAt(call->send_counts, i), TypeAt(call->send_types, i)));
  }
}
