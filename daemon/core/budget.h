// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_BUDGET_H_
#define COOLSPAN_CORE_BUDGET_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace coolspan {

// How much work a decision may cost. Work units (about one node looked at)
// make decisions repeatable; on the real clock the service adds how much of the
// time has passed, and a decision that ran out of it is marked. Not
// thread-safe.
class Budget {
 public:
  static constexpr std::uint64_t kUnlimited =
      std::numeric_limits<std::uint64_t>::max();
  // Of a decision on a virtual clock, where no deadline ends it: replays give
  // the same decisions everywhere. A tenth of a second or so.
  static constexpr std::uint64_t kVirtualClock = 20'000'000;

  // passed: the share of the time that is gone; from 1 on the budget is, too.
  explicit Budget(std::uint64_t work_units = kUnlimited,
                  std::function<double()> passed = nullptr)
      : left_(work_units), passed_(std::move(passed)) {}

  // A share of the work and of the time that are left, from 0 to 1. What it
  // spends is spent here once it is given to Take; where it was exhausted, this
  // is, though there may be something left to spend.
  Budget Part(double share) const {
    Budget part(left_);
    if (left_ != kUnlimited) {
      part.left_ = std::min(left_, static_cast<std::uint64_t>(
                                       share * static_cast<double>(left_)));
      part.given_ = part.left_;
    }
    if (!passed_) return part;
    const double begun = passed_();
    const double given = share * (1 - begun);
    part.passed_ = [passed = passed_, begun, given] {
      const double now = passed();
      return now >= 1 || now - begun >= given ? 1 : (now - begun) / given;
    };
    return part;
  }
  void Take(const Budget& part) {
    if (left_ != kUnlimited) left_ -= part.given_ - part.left_;
    exhausted_ |= part.exhausted_;
  }

  // Spends work; false when the budget is gone: answer the best so far. The
  // time is asked for once a call, so spend in portions.
  bool Spend(std::uint64_t work_units) {
    if (left_ < work_units || (passed_ && passed_() >= 1)) {
      exhausted_ = true;
      return false;
    }
    if (left_ != kUnlimited) left_ -= work_units;
    return true;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::uint64_t left_;
  std::uint64_t given_ = 0;  // to a part, when it was made
  std::function<double()> passed_;
  bool exhausted_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_BUDGET_H_
