// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_HYPERPLANES_H_
#define COOLSPAN_POLICY_OPTIMAL_HYPERPLANES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"

namespace coolspan {

// The places for the planes of one dimension, between points on a line, and
// bounds of what a set that they cut into slices adds to the total along it:
// with its points in order, point r counts (2r - k + 1) times its coordinate
// (Bender et al., section 3).
class Hyperplanes {
 public:
  // coordinates: ascending. sizes: how many points each slice gives, at least
  // one each, no more than there are in all.
  Hyperplanes(std::vector<std::int64_t> coordinates,
              std::span<const std::int64_t> sizes);

  // Of all sets of that many points, slices or not.
  std::int64_t MinTotal() const;

  using Planes = std::vector<std::size_t>;
  using Below = absl::FunctionRef<std::int64_t()>;
  using Step = absl::FunctionRef<bool(std::uint64_t work)>;
  using Visit = absl::FunctionRef<bool(const Planes&, std::int64_t bound)>;
  // Visits each place whose bound is less than below() at that time: slice i
  // are the points from planes[i] to planes[i + 1] - 1. visit and step answer
  // whether to go on, and so does this; step is asked with the work of a part.
  bool ForEach(Below below, Step step, Visit visit) const;

 private:
  struct Walk;
  std::int64_t Weight(std::int64_t rank) const {
    return 2 * rank - (points_ - 1);
  }
  std::int64_t WindowTotal(std::size_t first, std::int64_t rank,
                           std::int64_t count) const;
  std::int64_t MinWindowTotal(std::size_t from, std::size_t to,
                              std::int64_t rank, std::int64_t count) const;
  bool Place(Walk& walk, std::int64_t rank, std::int64_t bound) const;
  bool PlaceLast(Walk& walk, std::int64_t rank, std::int64_t bound) const;

  std::vector<std::int64_t> coordinates_;
  std::vector<std::int64_t> sizes_;
  std::int64_t points_ = 0;            // of a set
  std::vector<std::int64_t> sums_;     // of coordinates, up to each
  std::vector<std::int64_t> moments_;  // of index times coordinate
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_HYPERPLANES_H_
