// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_COMPARED_ORDERINGS_H_
#define COOLSPAN_CLI_COMMANDS_COMPARED_ORDERINGS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "locality/locality.h"
#include "ordering/ordering.h"
#include "policy/table.h"
#include "replay/replay.h"
#include "replay/schedulers/scheduler.h"
#include "replay/workload.h"

namespace coolspan {

struct MeasuredOrdering {
  std::shared_ptr<const Ordering> ordering;
  OrderingCost cost;
  // Places among those compared, from 1: by locality cost, and by the mean
  // pairwise_total of the replayed jobs.
  std::size_t cost_place = 1;
  std::size_t replay_place = 1;
  std::optional<RunReport> replay = std::nullopt;
};

MeasuredOrdering MeasureOrderingOf(const Machine& machine,
                                   std::shared_ptr<const Ordering> ordering);

// The chosen one and every other of the table that applies to the machine
// without an argument, the least locality cost first. mip takes part where it
// was chosen, and with 5 seconds on machines of up to 64 nodes.
// make: MakeOrdering, or a function that calls it.
using OrderingMaker =
    std::function<absl::StatusOr<std::shared_ptr<const Ordering>>(
        const Machine& machine, std::string_view spec)>;
std::vector<MeasuredOrdering> CompareOrderings(const Machine& machine,
                                               const MeasuredOrdering& chosen,
                                               const OrderingMaker& make);

// A trace that all orderings are tried on.
struct OrderingTrial {
  Workload workload;
  std::string policy;
  SpanKind span = SpanKind::kRing;
  const SchedulerEntry* scheduler = nullptr;  // never null in a call
  std::uint64_t seed = 0;
};

// Fills in replay and replay_place. started counts the jobs started.
// Errors: Replay's.
absl::Status TryOnTrace(const std::shared_ptr<const Machine>& machine,
                        const OrderingTrial& trial,
                        std::vector<MeasuredOrdering>& compared,
                        std::atomic<std::uint64_t>& started);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_COMPARED_ORDERINGS_H_
