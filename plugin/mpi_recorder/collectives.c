// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives, by the source and the destination of the data. What a process
// has for itself is not counted, nor blocks without bytes.
#include "counting.h"

bool count_collectives = true;

static struct Ranks* CollectiveRanks(const struct Call* call) {
  return count_collectives ? CommRanks(call->comm) : NULL;
}

static void SendToEach(struct Ranks* ranks, uint64_t bytes, struct Sink sink) {
  if (bytes == 0) return;
  if (sink.persistent) {
    AddToEach(ranks, 0, (struct Volume){bytes, 1}, sink.traffic);
  } else {
    AddToCounter(&ranks->to_each, (struct Volume){bytes, 1});
  }
}

static void SendToOne(const struct Ranks* ranks, int rank, uint64_t bytes,
                      struct Sink sink) {
  if (bytes == 0 || (!ranks->inter && rank == ranks->my_rank)) return;
  AddSent(sink.traffic, WorldRank(ranks, rank), (struct Volume){bytes, 1});
}

// Whether the process has the data that the others get.
static bool IsRoot(const struct Ranks* ranks, const struct Call* call) {
  return call->peer == (ranks->inter ? MPI_ROOT : ranks->my_rank);
}

// A process that sends to the root: of an intercommunicator, one of the other
// group, where the root is a rank; MPI_ROOT and MPI_PROC_NULL are negative.
static void SendToRoot(const struct Call* call, MPI_Count count,
                       struct Sink sink) {
  const struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL || call->peer < 0 || IsRoot(ranks, call)) return;
  SendToOne(ranks, call->peer, BytesOf(count, call->send_type), sink);
}

void CountBcast(const struct Call* call, struct Sink sink) {
  struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL || !IsRoot(ranks, call)) return;
  SendToEach(ranks, BytesOf(call->send_count, call->send_type), sink);
}

void CountReduce(const struct Call* call, struct Sink sink) {
  SendToRoot(call, call->send_count, sink);
}

void CountGather(const struct Call* call, struct Sink sink) {
  SendToRoot(call, call->send_count, sink);
}

void CountScatter(const struct Call* call, struct Sink sink) {
  CountBcast(call, sink);
}

void CountScatterv(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL || !IsRoot(ranks, call)) return;
  for (int i = 0; i < ranks->size; ++i) {
    SendToOne(ranks, i, BytesOf(CountAt(call->send_counts, i), call->send_type),
              sink);
  }
}

void CountAllgather(const struct Call* call, struct Sink sink) {
  struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  SendToEach(ranks,
             call->in_place ? BytesOf(call->receive_count, call->receive_type)
                            : BytesOf(call->send_count, call->send_type),
             sink);
}

void CountAllgatherv(const struct Call* call, struct Sink sink) {
  struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  SendToEach(ranks,
             call->in_place
                 ? BytesOf(CountAt(call->receive_counts, ranks->my_rank),
                           call->receive_type)
                 : BytesOf(call->send_count, call->send_type),
             sink);
}

void CountAlltoall(const struct Call* call, struct Sink sink) {
  CountAllgather(call, sink);
}

void CountAlltoallv(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  const struct Counts counts =
      call->in_place ? call->receive_counts : call->send_counts;
  const MPI_Datatype type =
      call->in_place ? call->receive_type : call->send_type;
  for (int i = 0; i < ranks->size; ++i) {
    SendToOne(ranks, i, BytesOf(CountAt(counts, i), type), sink);
  }
}

void CountAlltoallw(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  const struct Counts counts =
      call->in_place ? call->receive_counts : call->send_counts;
  const struct Types types =
      call->in_place ? call->receive_types : call->send_types;
  for (int i = 0; i < ranks->size; ++i) {
    SendToOne(ranks, i, BytesOf(CountAt(counts, i), TypeAt(types, i)), sink);
  }
}

void CountAllreduce(const struct Call* call, struct Sink sink) {
  struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  SendToEach(ranks, BytesOf(call->send_count, call->send_type), sink);
}

// Of an intercommunicator only the receivers know how large their blocks are.
static void ReceiveFromEach(const struct Ranks* ranks, uint64_t bytes,
                            struct Sink sink) {
  if (bytes == 0) return;
  for (int i = 0; i < ranks->size; ++i) {
    AddReceived(sink.traffic, WorldRank(ranks, i), (struct Volume){bytes, 1});
  }
}

void CountReduceScatter(const struct Call* call, struct Sink sink) {
  const struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  if (ranks->inter) {
    const MPI_Count own = CountAt(call->receive_counts, ranks->my_rank);
    ReceiveFromEach(ranks, BytesOf(own, call->send_type), sink);
    return;
  }
  for (int i = 0; i < ranks->size; ++i) {
    SendToOne(ranks, i,
              BytesOf(CountAt(call->receive_counts, i), call->send_type), sink);
  }
}

void CountReduceScatterBlock(const struct Call* call, struct Sink sink) {
  struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  const uint64_t bytes = BytesOf(call->receive_count, call->send_type);
  if (ranks->inter) {
    ReceiveFromEach(ranks, bytes, sink);
  } else {
    SendToEach(ranks, bytes, sink);
  }
}

// Scan and Exscan: to every process of higher rank.
void CountScan(const struct Call* call, struct Sink sink) {
  struct Ranks* const ranks = CollectiveRanks(call);
  if (ranks == NULL) return;
  const uint64_t bytes = BytesOf(call->send_count, call->send_type);
  if (bytes == 0) return;
  if (sink.persistent) {
    AddToEach(ranks, ranks->my_rank + 1, (struct Volume){bytes, 1},
              sink.traffic);
  } else {
    AddToCounter(&ranks->to_each_higher, (struct Volume){bytes, 1});
  }
}
