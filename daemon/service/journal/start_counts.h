// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_START_COUNTS_H_
#define COOLSPAN_SERVICE_JOURNAL_START_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "coolspan/v1/allocator.pb.h"
#include "core/choice_cost.h"

namespace coolspan {

// Numbers of job starts by cluster and verdict, and sums of the costs of
// advised jobs, since the daemon started. Thread-safe.
class StartCounts {
 public:
  // Of each verdict of a cluster; further reasons are counted as "other". The
  // plugin has fewer.
  static constexpr std::size_t kMaxReasons = 32;

  // start: DecodeStart's. cost: of an advised job, if known.
  void Add(const std::string& cluster, const v1::JobStart& start,
           const std::optional<AdviceCost>& cost);
  void Remove(const std::string& cluster);
  v1::StartCounts Of(const std::string& cluster) const;

 private:
  using Reasons = std::map<std::string, std::uint64_t>;
  struct Counts {
    std::uint64_t enforced = 0;
    std::uint64_t advised = 0;
    Reasons left;
    Reasons fallback;
    v1::AdviceTotals advice;
  };
  static void Count(const std::string& reason, Reasons& reasons);
  static void Sum(const AdviceCost& cost, v1::AdviceTotals& totals);

  mutable std::mutex mutex_;
  std::map<std::string, Counts> clusters_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_START_COUNTS_H_
