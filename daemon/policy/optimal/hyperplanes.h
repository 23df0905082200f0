// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_HYPERPLANES_H_
#define COOLSPAN_POLICY_OPTIMAL_HYPERPLANES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"

namespace coolspan {

// Enumerates the hyperplanes normal to one dimension, between points on a line,
// with lower bounds of the total distance along it. For a set of k points with
// coordinates x_0 <= x_1 <= ... <= x_{k-1} (Bender et al., section 3)
//
//   w_x(S) = (k - 1)(x_{k-1} - x_0) + (k - 3)(x_{k-2} - x_1) + ...
//          = sum_r (2r - k + 1) x_r
class Hyperplanes {
 public:
  // coordinates: ascending. sizes: the number of points from each slice, at
  // least 1 each, in total at most the number of coordinates.
  Hyperplanes(std::vector<std::int64_t> coordinates,
              std::span<const std::int64_t> sizes);

  // The minimum of w_x over all sets of k points.
  std::int64_t MinTotal() const;

  using Planes = std::vector<std::size_t>;
  using Below = absl::FunctionRef<std::int64_t()>;
  using Step = absl::FunctionRef<bool(std::uint64_t work)>;
  using Visit = absl::FunctionRef<bool(const Planes&, std::int64_t bound)>;
  // Calls visit for all positions of the planes with a bound less than below()
  // at that time; slice i holds the points planes[i] to planes[i + 1] - 1.
  // Calls step with the work done. Ends and returns false when visit or step
  // returns false.
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
  std::int64_t points_ = 0;            // k
  std::vector<std::int64_t> sums_;     // prefix sums of x_i
  std::vector<std::int64_t> moments_;  // prefix sums of i * x_i
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_HYPERPLANES_H_
