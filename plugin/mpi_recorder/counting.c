// SPDX-License-Identifier: GPL-3.0-or-later
// Sends, one-sided calls and neighbourhood collectives.
#include "counting.h"

void CountPartitionedSend(const struct Call* call, struct Sink sink) {
  struct Call all = *call;
  all.send_count = call->partitions * call->send_count;
  CountSend(&all, sink);
}

// --- one-sided: counted by the origin, in either direction

// NULL: nothing is transferred, and MPI ignores the other arguments.
static const struct Ranks* TargetRanks(const struct Call* call) {
  return call->peer < 0 ? NULL : WinRanks(call->win);
}

static struct Volume OneMessage(uint64_t bytes) {
  return (struct Volume){bytes, 1};
}

static void SendToTarget(const struct Call* call, const struct Ranks* ranks,
                         uint64_t bytes, struct Sink sink) {
  AddSent(sink.traffic, WorldRank(ranks, call->peer), OneMessage(bytes));
}

static void ReceiveFromTarget(const struct Call* call,
                              const struct Ranks* ranks, uint64_t bytes,
                              struct Sink sink) {
  AddReceived(sink.traffic, WorldRank(ranks, call->peer), OneMessage(bytes));
}

void CountPut(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = TargetRanks(call);
  if (ranks == NULL) return;
  SendToTarget(call, ranks, BytesOf(call->send_count, call->send_type), sink);
}

void CountGet(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = TargetRanks(call);
  if (ranks == NULL) return;
  ReceiveFromTarget(call, ranks, BytesOf(call->send_count, call->send_type),
                    sink);
}

void CountGetAccumulate(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = TargetRanks(call);
  if (ranks == NULL) return;
  // With MPI_NO_OP the origin's count and datatype are ignored.
  if (!call->no_op) {
    SendToTarget(call, ranks, BytesOf(call->send_count, call->send_type), sink);
  }
  ReceiveFromTarget(call, ranks,
                    BytesOf(call->receive_count, call->receive_type), sink);
}

void CountFetchAndOp(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = TargetRanks(call);
  if (ranks == NULL) return;
  const uint64_t bytes = BytesOf(1, call->send_type);
  if (!call->no_op) SendToTarget(call, ranks, bytes, sink);
  ReceiveFromTarget(call, ranks, bytes, sink);
}

// The value and what it is compared with, then the old value.
void CountCompareAndSwap(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = TargetRanks(call);
  if (ranks == NULL) return;
  const uint64_t bytes = BytesOf(1, call->send_type);
  SendToTarget(call, ranks, 2 * bytes, sink);
  ReceiveFromTarget(call, ranks, bytes, sink);
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
