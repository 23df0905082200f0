// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/surface_scores.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace coolspan {
namespace {

// The same for up to three axes in one pass. Without aliases, so that the
// compiler uses vector instructions.
template <typename Score, std::size_t kAxes, bool kRing>
Score AddAlong(const std::vector<Score>* coordinates, const Score* lengths,
               std::size_t from, Score nodes, std::span<Score> scores) {
  const Score* __restrict x = coordinates[0].data();
  const Score* __restrict y = coordinates[kAxes > 1 ? 1 : 0].data();
  const Score* __restrict z = coordinates[kAxes > 2 ? 2 : 0].data();
  const Score at[3] = {x[from], y[from], z[from]};
  const Score length[3] = {lengths[0], lengths[kAxes > 1 ? 1 : 0],
                           lengths[kAxes > 2 ? 2 : 0]};
  const auto hops = [&](Score coordinate, std::size_t axis) {
    const Score straight = std::abs(coordinate - at[axis]);
    return kRing ? std::min<Score>(straight, length[axis] - straight)
                 : straight;
  };
  Score* __restrict out = scores.data();
  const std::size_t count = scores.size();
  Score least = std::numeric_limits<Score>::max();
  for (std::size_t i = 0; i < count; ++i) {
    Score sum = hops(x[i], 0);
    if (kAxes > 1) sum += hops(y[i], 1);
    if (kAxes > 2) sum += hops(z[i], 2);
    out[i] += nodes * sum;
    least = std::min(least, out[i]);
  }
  return least;
}

template <typename Score, bool kRing>
Score AddAll(std::span<const std::vector<Score>> coordinates,
             const Score* lengths, std::size_t from, Score nodes,
             std::span<Score> scores) {
  const std::vector<Score>* axis = coordinates.data();
  std::size_t left = coordinates.size();
  for (; left > 3; left -= 3, axis += 3, lengths += 3) {
    AddAlong<Score, 3, kRing>(axis, lengths, from, nodes, scores);
  }
  switch (left) {
    case 1:
      return AddAlong<Score, 1, kRing>(axis, lengths, from, nodes, scores);
    case 2:
      return AddAlong<Score, 2, kRing>(axis, lengths, from, nodes, scores);
    default:
      return AddAlong<Score, 3, kRing>(axis, lengths, from, nodes, scores);
  }
}

}  // namespace

template <typename Score>
Score AddDistances(std::span<const std::vector<Score>> coordinates,
                   std::span<const Score> lengths, bool has_ring,
                   std::size_t from, NodeCount nodes, std::span<Score> scores) {
  const auto count = static_cast<Score>(nodes);
  return has_ring ? AddAll<Score, true>(coordinates, lengths.data(), from,
                                        count, scores)
                  : AddAll<Score, false>(coordinates, lengths.data(), from,
                                         count, scores);
}

template <typename Score>
std::size_t FindFirst(std::span<const Score> scores, Score score) {
  constexpr std::size_t kBlock = 16;
  std::size_t i = 0;
  for (; i + kBlock <= scores.size(); i += kBlock) {
    Score found = 0;
    for (std::size_t j = 0; j < kBlock; ++j) {
      found |= scores[i + j] == score ? 1 : 0;
    }
    if (found != 0) break;
  }
  while (scores[i] != score) ++i;
  return i;
}

template <typename Score>
std::int64_t LowestSum<Score>::Of(std::span<const Score> scores,
                                  std::span<const Score> less,
                                  std::span<const VertexId> vertices,
                                  std::span<const NodeCount> capacity,
                                  NodeCount nodes) {
  Score min = kTaken<Score>;
  Score max = -kTaken<Score>;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Score score = scores[i] - less[i];
    min = std::min(min, score);
    max = std::max(max, IsTaken(scores[i]) ? -kTaken<Score> : score);
  }
  // As many buckets as scores, up to the maximum.
  const int bits =
      std::min(static_cast<int>(std::bit_width(scores.size())), kMaxBucketBits);
  const std::size_t buckets = std::size_t{1} << bits;
  const auto range = static_cast<std::uint64_t>(max - min);
  const int shift = std::max(static_cast<int>(std::bit_width(range)) - bits, 0);
  std::fill_n(counts_.begin(), buckets, 0);
  std::fill_n(sums_.begin(), buckets, 0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Score score = scores[i] - less[i];
    const auto bucket =
        std::min(static_cast<std::size_t>((score - min) >> shift), buckets - 1);
    const std::int64_t count =
        IsTaken(scores[i]) ? 0 : std::int64_t{capacity[vertices[i]]};
    counts_[bucket] += count;
    sums_[bucket] += count * score;
  }
  std::int64_t left = nodes;
  std::int64_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets && left > 0; ++bucket) {
    if (counts_[bucket] <= left) {
      left -= counts_[bucket];
      sum += sums_[bucket];
      continue;
    }
    return sum + left * (min + (static_cast<std::int64_t>(bucket) << shift));
  }
  return sum;
}

template std::int32_t AddDistances(std::span<const std::vector<std::int32_t>>,
                                   std::span<const std::int32_t>, bool,
                                   std::size_t, NodeCount,
                                   std::span<std::int32_t>);
template std::int64_t AddDistances(std::span<const std::vector<std::int64_t>>,
                                   std::span<const std::int64_t>, bool,
                                   std::size_t, NodeCount,
                                   std::span<std::int64_t>);
template std::size_t FindFirst(std::span<const std::int32_t>, std::int32_t);
template std::size_t FindFirst(std::span<const std::int64_t>, std::int64_t);
template class LowestSum<std::int32_t>;
template class LowestSum<std::int64_t>;

}  // namespace coolspan
