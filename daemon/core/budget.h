// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_BUDGET_H_
#define COOLSPAN_CORE_BUDGET_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace coolspan {

// How much work a decision may cost. Work units (about one node looked at)
// make decisions repeatable; on the real clock the service adds a stop
// condition, and a decision that met it is marked. Not thread-safe.
class Budget {
 public:
  static constexpr std::uint64_t kUnlimited =
      std::numeric_limits<std::uint64_t>::max();
  // Of a decision on a virtual clock, where no deadline ends it: replays give
  // the same decisions everywhere. A tenth of a second or so.
  static constexpr std::uint64_t kVirtualClock = 20'000'000;

  explicit Budget(std::uint64_t work_units = kUnlimited,
                  std::function<bool()> stop = nullptr)
      : left_(work_units), stop_(std::move(stop)) {}

  // Spends work; false when the budget is gone: answer the best so far. The
  // stop condition is asked once a call, so spend in portions.
  bool Spend(std::uint64_t work_units) {
    if (left_ < work_units || (stop_ && stop_())) {
      exhausted_ = true;
      return false;
    }
    if (left_ != kUnlimited) left_ -= work_units;
    return true;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::uint64_t left_;
  std::function<bool()> stop_;
  bool exhausted_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_BUDGET_H_
