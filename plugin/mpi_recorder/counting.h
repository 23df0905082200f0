// SPDX-License-Identifier: GPL-3.0-or-later
// Counts a communication call that MPI has accepted. A collective is broken
// down by the data: from each process whose data a result needs to each process
// that gets the result, whatever way an implementation of MPI sends it.
// docs/recording-patterns.md has the table.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_COUNTING_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_COUNTING_H_

#include "call.h"
#include "ranks.h"
#include "traffic.h"

struct Sink {
  struct Traffic* traffic;
  // Persistent: counted at every start, so that nothing may be added to the
  // counters of the communicator.
  bool persistent;
};

// false: collectives are left out.
extern bool count_collectives;

static inline void CountSend(const struct Call* call, struct Sink sink) {
  // MPI_PROC_NULL is negative in all implementations.
  if (call->peer < 0) return;
  const struct Ranks* const ranks = CommRanks(call->comm);
  if (ranks == NULL) return;
  AddSent(sink.traffic, WorldRank(ranks, call->peer),
          (struct Volume){BytesOf(call->send_count, call->send_type), 1});
}

void CountPartitionedSend(const struct Call* call, struct Sink sink);

void CountPut(const struct Call* call, struct Sink sink);
void CountGet(const struct Call* call, struct Sink sink);
void CountGetAccumulate(const struct Call* call, struct Sink sink);
void CountFetchAndOp(const struct Call* call, struct Sink sink);
void CountCompareAndSwap(const struct Call* call, struct Sink sink);

void CountBcast(const struct Call* call, struct Sink sink);
void CountReduce(const struct Call* call, struct Sink sink);
void CountGather(const struct Call* call, struct Sink sink);
void CountScatter(const struct Call* call, struct Sink sink);
void CountScatterv(const struct Call* call, struct Sink sink);
void CountAllgather(const struct Call* call, struct Sink sink);
void CountAllgatherv(const struct Call* call, struct Sink sink);
void CountAlltoall(const struct Call* call, struct Sink sink);
void CountAlltoallv(const struct Call* call, struct Sink sink);
void CountAlltoallw(const struct Call* call, struct Sink sink);
void CountAllreduce(const struct Call* call, struct Sink sink);
void CountReduceScatter(const struct Call* call, struct Sink sink);
void CountReduceScatterBlock(const struct Call* call, struct Sink sink);
void CountScan(const struct Call* call, struct Sink sink);
void CountNeighbourAllgather(const struct Call* call, struct Sink sink);
void CountNeighbourAlltoallv(const struct Call* call, struct Sink sink);
void CountNeighbourAlltoallw(const struct Call* call, struct Sink sink);

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_COUNTING_H_
