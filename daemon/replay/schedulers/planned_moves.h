// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_PLANNED_MOVES_H_
#define COOLSPAN_REPLAY_SCHEDULERS_PLANNED_MOVES_H_

#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/btree_set.h"
#include "core/types.h"
#include "replay/input/workload.h"

namespace coolspan {

// The moves of running jobs that a plan has and that are not made yet. Not
// thread-safe.
class PlannedMoves {
 public:
  struct Move {
    TimeMs at_ms;
    JobIndex job;
    std::size_t piece;  // of its run, which begins then

    friend bool operator<(const Move& a, const Move& b) {
      return std::tie(a.at_ms, a.job, a.piece) <
             std::tie(b.at_ms, b.job, b.piece);
    }
    friend bool operator==(const Move&, const Move&) = default;
  };

  void Add(const Move& move) { moves_.insert(move); }
  // It is made.
  void Remove(const Move& move) { moves_.erase(move); }
  // The job has ended.
  void Forget(JobIndex job) {
    for (auto move = moves_.begin(); move != moves_.end();) {
      move = move->job == job ? moves_.erase(move) : std::next(move);
    }
  }

  // Those that are due, by time; they stay until they are removed. Of several
  // of one job, which waited for nodes, all but the last are dropped: a job
  // that has moved on does not move back.
  std::vector<Move> Due(TimeMs now_ms) {
    std::vector<Move> due;
    for (auto move = moves_.begin(); move != moves_.end(); ++move) {
      if (move->at_ms > now_ms) break;
      std::erase_if(due, [&](const Move& one) { return one.job == move->job; });
      due.push_back(*move);
    }
    moves_.erase(moves_.begin(), moves_.upper_bound({now_ms, kLastJob, 0}));
    moves_.insert(due.begin(), due.end());
    return due;
  }

  std::optional<TimeMs> NextAfter(TimeMs now_ms) const {
    const auto next = moves_.upper_bound({now_ms, kLastJob, 0});
    if (next == moves_.end()) return std::nullopt;
    return next->at_ms;
  }

 private:
  static constexpr JobIndex kLastJob = std::numeric_limits<JobIndex>::max();

  absl::btree_set<Move> moves_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_PLANNED_MOVES_H_
