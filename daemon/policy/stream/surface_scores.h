// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_SURFACE_SCORES_H_
#define COOLSPAN_POLICY_STREAM_SURFACE_SCORES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/types.h"

namespace coolspan {

// The loops over the scores of all vertices of a surface. Score: int32_t or
// int64_t.

// The score of a vertex that was taken: above those of all others, with as much
// left to add. Less may be taken off.
template <typename Score>
inline constexpr Score kTaken = std::numeric_limits<Score>::max() / 2;
template <typename Score>
constexpr bool IsTaken(Score score) {
  return score > kTaken<Score> / 4 * 3;
}

// Adds `nodes` times the distance to vertex `from` to all scores and returns
// the least one. coordinates: by axis, then vertex, in scores; lengths: by
// axis, of a ring, else kTaken. has_ring: whether some axis is one.
template <typename Score>
Score AddDistances(std::span<const std::vector<Score>> coordinates,
                   std::span<const Score> lengths, bool has_ring,
                   std::size_t from, NodeCount nodes, std::span<Score> scores);

// The index of the first of these scores. REQUIRES that there is one.
template <typename Score>
std::size_t FindFirst(std::span<const Score> scores, Score score);

// A lower bound of the sum of the least of some scores, close to it.
template <typename Score>
class LowestSum {
 public:
  // Of `nodes` nodes with scores[i] - less[i] each, of which there are
  // capacity[vertices[i]]; those that are taken are left out.
  std::int64_t Of(std::span<const Score> scores, std::span<const Score> less,
                  std::span<const VertexId> vertices,
                  std::span<const NodeCount> capacity, NodeCount nodes);

 private:
  // Scores are put into buckets of equal width.
  static constexpr int kMaxBucketBits = 6;
  static constexpr std::size_t kMaxBuckets = std::size_t{1} << kMaxBucketBits;
  std::array<std::int64_t, kMaxBuckets> counts_;
  std::array<std::int64_t, kMaxBuckets> sums_;
};

extern template class LowestSum<std::int32_t>;
extern template class LowestSum<std::int64_t>;

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_SURFACE_SCORES_H_
