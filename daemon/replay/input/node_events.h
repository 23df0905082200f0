// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_NODE_EVENTS_H_
#define COOLSPAN_REPLAY_INPUT_NODE_EVENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/types.h"

namespace coolspan {

// Nodes that fail, drain or return while a trace is replayed.
struct NodeEvent {
  enum class State {
    kDown,    // the jobs on the nodes end; no job starts there
    kDrain,   // no job starts there; running jobs go on
    kResume,  // jobs may start there again
  };
  TimeMs at_ms;
  State state;
  std::vector<NodeId> nodes;  // ascending
};

// Reads events from a CSV file, plain or gzip, with the header line
// "time_s,state,nodes": seconds on the clock of the trace; down, drain or
// resume; and a hostlist, in quotes or not. Sorted by time, equal times in file
// order. # starts a comment.
// Errors: as LineReader; INVALID_ARGUMENT "FILE:LINE:COLUMN: ..." for another
// header, a missing field, a time out of range, an unknown state or node.
absl::StatusOr<std::vector<NodeEvent>> ReadNodeEvents(const std::string& path,
                                                      const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_NODE_EVENTS_H_
