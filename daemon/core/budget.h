// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_BUDGET_H_
#define COOLSPAN_CORE_BUDGET_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace coolspan {

// Limit of the work of a decision. Work units (about one node visited) make
// decisions repeatable; on the real clock the service adds a time limit, and a
// decision that exceeds it is marked as stopped early. Not thread-safe.
class Budget {
 public:
  static constexpr std::uint64_t kUnlimited =
      std::numeric_limits<std::uint64_t>::max();
  // For decisions on a virtual clock, without a deadline: replays make the same
  // decisions on any machine. About 0.1 s.
  static constexpr std::uint64_t kVirtualClock = 20'000'000;

  // passed: elapsed time as a fraction of the limit; at 1 the budget is
  // exhausted.
  explicit Budget(std::uint64_t work_units = kUnlimited,
                  std::function<double()> passed = nullptr)
      : left_(work_units), passed_(std::move(passed)) {}

  // Ends the work early once stop returns true, which must be thread-safe; the
  // decision is then of no use. Called often.
  void StopWhen(std::function<bool()> stop) { stop_ = std::move(stop); }

  // A budget of a share, 0 to 1, of the remaining work and time. Take subtracts
  // what the part has spent; if the part was exhausted, this budget is marked
  // exhausted, even if it has work left.
  Budget Part(double share) const {
    Budget part(left_);
    part.stop_ = stop_;
    if (left_ != kUnlimited) {
      part.left_ = std::min(left_, static_cast<std::uint64_t>(
                                       share * static_cast<double>(left_)));
      part.given_ = part.left_;
    }
    if (!passed_) return part;
    const double start = passed_();
    const double given = share * (1 - start);
    part.passed_ = [passed = passed_, start, given] {
      const double now = passed();
      return now >= 1 || now - start >= given ? 1 : (now - start) / given;
    };
    return part;
  }
  void Take(const Budget& part) {
    if (left_ != kUnlimited) left_ -= part.given_ - part.left_;
    exhausted_ |= part.exhausted_;
  }

  // Spends work; false when the budget is exhausted: return the best result so
  // far. Each call reads the clock once, so spend in portions.
  bool Spend(std::uint64_t work_units) {
    if (left_ < work_units || !HasTime()) {
      exhausted_ = true;
      return false;
    }
    if (left_ != kUnlimited) left_ -= work_units;
    return true;
  }
  // Whether the time limit, if any, has not passed, and no stop was asked for.
  // Thread-safe if the clock is, for threads that share work already spent.
  bool HasTime() const {
    return (!passed_ || passed_() < 1) && !(stop_ && stop_());
  }
  // The time limit alone, for work already spent.
  Budget TimeOnly() const {
    Budget time(kUnlimited, passed_);
    time.stop_ = stop_;
    return time;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::uint64_t left_;
  std::uint64_t given_ = 0;  // initial work units of a part
  std::function<double()> passed_;
  std::function<bool()> stop_;
  bool exhausted_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_BUDGET_H_
