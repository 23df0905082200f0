// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_TIME_BUDGET_H_
#define COOLSPAN_POLICY_TIME_BUDGET_H_

#include <chrono>
#include <functional>
#include <utility>

#include "core/budget.h"

namespace coolspan {

// Of any work from now until then, or until stop answers true.
inline Budget BudgetUntil(std::chrono::steady_clock::time_point end,
                          std::function<bool()> stop = nullptr) {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  return Budget(Budget::kUnlimited, [begin, end, stop = std::move(stop)] {
    const auto now = steady_clock::now();
    if (now >= end || (stop && stop())) return 1.0;
    return std::chrono::duration<double>(now - begin) / (end - begin);
  });
}

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_TIME_BUDGET_H_
