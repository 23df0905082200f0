// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_PAID_WORK_H_
#define COOLSPAN_POLICY_PAID_WORK_H_

#include <cstdint>

#include "core/budget.h"

namespace coolspan {

// Lets a batch of work that a budget has paid for end at the time limit. Reads
// the clock before the first item and then once per portion, so batches may be
// large enough for several threads. Without a time limit the batch is always
// completed. One per thread.
class PaidWork {
 public:
  // Distances computed or vertices visited in about half a millisecond.
  static constexpr std::uint64_t kPortion = std::uint64_t{1} << 14;

  // The budget must outlive this, and its clock be thread-safe.
  explicit PaidWork(const Budget& budget) : budget_(budget) {}

  // Call before each item; its work in vertices or distances. False: time is
  // up, leave out this item and the rest. The batch is then incomplete, and
  // Spend of the budget returns false.
  bool Continue(std::uint64_t work) {
    if (since_look_ >= kPortion) {
      has_time_ = has_time_ && budget_.HasTime();
      since_look_ = 0;
    }
    since_look_ += work;
    return has_time_;
  }

 private:
  const Budget& budget_;
  std::uint64_t since_look_ = kPortion;
  bool has_time_ = true;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_PAID_WORK_H_
