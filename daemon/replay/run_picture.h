// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUN_PICTURE_H_
#define COOLSPAN_REPLAY_RUN_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.h"

namespace coolspan {

// Which nodes the jobs of a run have had, in bounded memory, for the machine
// map and the Gantt chart of the report.
struct RunPicture {
  // The machine at an instant, after its events.
  struct Frame {
    static constexpr std::int64_t kFree = -1;
    // Node by node: the number of consecutive nodes with the same job, and the
    // number of that job in the log; kFree: no job.
    struct Stretch {
      NodeCount nodes;
      std::int64_t job;
      friend bool operator==(const Stretch&, const Stretch&) = default;
    };
    std::vector<Stretch> stretches;
    // Inlet temperatures by zone; empty without a room.
    std::vector<float> inlet_c;
  };
  // At begin_ms, begin_ms + interval_ms and so on.
  TimeMs begin_ms = 0;
  TimeMs interval_ms = 0;
  std::vector<Frame> frames;

  // A job that is drawn over time.
  struct Bar {
    std::int64_t job;  // number in the log
    TimeMs start_ms;
    TimeMs end_ms;
    NodeCount nodes;
    // Ranks in the ordering of the run: the first one and how many, ascending.
    std::vector<std::pair<Rank, NodeCount>> ranks;
  };
  // Those with the most node-seconds, in the order of their ends.
  std::vector<Bar> bars;
  double bar_node_s = 0;    // of them
  double total_node_s = 0;  // of all jobs
};

// The bounds of the pictures of one run.
struct PictureBounds {
  std::size_t frames = 256;
  // Stretches and inlets of all frames together; one frame is always kept.
  std::size_t frame_values = 60'000;
  std::size_t bars = 2'000;
  std::size_t bar_intervals = 8'000;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUN_PICTURE_H_
