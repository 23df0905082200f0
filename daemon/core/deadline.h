// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_DEADLINE_H_
#define COOLSPAN_CORE_DEADLINE_H_

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/budget.h"

namespace coolspan {

// A budget that ends at the time end, when stop returns true, or with the work.
// now: the clock, such as &std::chrono::steady_clock::now; end: a time
// point of that clock.
template <typename Now>
Budget BudgetUntil(std::invoke_result_t<Now> end, Now now,
                   std::function<bool()> stop = nullptr,
                   std::uint64_t work_units = Budget::kUnlimited) {
  const auto begin = now();
  return Budget(work_units,
                [begin, end, now = std::move(now), stop = std::move(stop)] {
                  const auto time = now();
                  if (time >= end || (stop && stop())) return 1.0;
                  return static_cast<double>((time - begin).count()) /
                         static_cast<double>((end - begin).count());
                });
}

}  // namespace coolspan

#endif  // COOLSPAN_CORE_DEADLINE_H_
