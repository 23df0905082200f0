// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_COMM_PATTERN_H_
#define COOLSPAN_CORE_COMM_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// Index of a process of a job, such as an MPI rank; not the Rank of a node in
// an ordering.
using TaskRank = std::uint32_t;

// What one rank sends to another one while the job runs.
struct RankVolume {
  TaskRank from = 0;
  TaskRank to = 0;
  double bytes = 0;
};

// How many bytes each rank of a job sends to each other one: a square matrix of
// which only the entries above 0 are kept. Immutable, thread-safe.
class CommPattern {
 public:
  static constexpr std::uint32_t kMaxRanks = std::uint32_t{1} << 20;
  // Pairs with an entry: all pairs of 4,096 ranks.
  static constexpr std::size_t kMaxPairs = std::size_t{1} << 24;
  // Of one pair. Sums over all pairs, and products with hops, stay finite.
  static constexpr double kMaxBytes = 1e18;

  // volumes: at most one entry for each ordered pair, in any order. Entries of
  // a rank to itself are checked and left out: they never leave a node.
  // Errors: INVALID_ARGUMENT for a number of ranks that is not from 1 to
  // kMaxRanks, more than kMaxPairs entries, a rank that does not exist, bytes
  // that are not from 0 to kMaxBytes and a pair specified more than once.
  static absl::StatusOr<std::shared_ptr<const CommPattern>> Create(
      std::uint32_t ranks, std::vector<RankVolume> volumes);

  std::uint32_t ranks() const {
    return static_cast<std::uint32_t>(first_.size() - 1);
  }
  // Ordered pairs with more than 0 bytes.
  std::size_t pairs() const { return receivers_.size(); }
  double total_bytes() const { return total_bytes_; }
  // The ranks that a rank sends to, ascending, and the bytes to each.
  std::span<const TaskRank> ReceiversOf(TaskRank from) const {
    return std::span(receivers_).subspan(first_[from], Count(from));
  }
  std::span<const double> BytesFrom(TaskRank from) const {
    return std::span(bytes_).subspan(first_[from], Count(from));
  }

 private:
  CommPattern() = default;
  std::size_t Count(TaskRank from) const {
    return first_[from + 1] - first_[from];
  }

  std::vector<std::size_t> first_;  // by rank, and the end
  std::vector<TaskRank> receivers_;
  std::vector<double> bytes_;
  double total_bytes_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_COMM_PATTERN_H_
