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
#include "ordering/ordering.h"
#include "ordering/ordering_cost.h"
#include "policy/table.h"
#include "replay/input/workload.h"
#include "replay/replay.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {

struct MeasuredOrdering {
  std::shared_ptr<const Ordering> ordering;
  OrderingCost cost;
  // Place in the comparison, from 1, equal values alike: by locality cost, and
  // by mean pairwise_total of the replayed jobs.
  std::size_t cost_place = 1;
  std::size_t replay_place = 1;
  std::optional<RunReport> replay = std::nullopt;
};

MeasuredOrdering MeasureOrderingOf(const Machine& machine,
                                   std::shared_ptr<const Ordering> ordering);

// Compares the chosen ordering with all orderings of the table that apply to
// the machine and need no argument; lowest locality cost first. Includes mip if
// it was chosen, else with a limit of 5 s on machines of up to 64 nodes.
// make: MakeOrdering, or a function that calls it.
using OrderingMaker =
    std::function<absl::StatusOr<std::shared_ptr<const Ordering>>(
        const Machine& machine, std::string_view spec)>;
std::vector<MeasuredOrdering> CompareOrderings(const Machine& machine,
                                               const MeasuredOrdering& chosen,
                                               const OrderingMaker& make);

// A replay that compares orderings.
struct OrderingTrial {
  std::shared_ptr<const Workload> workload;
  std::string policy;
  SpanKind span = SpanKind::kOfOrdering;
  SchedulerChoice scheduler = SchedulerChoice::Easy();
  std::uint64_t seed = 0;
};

// Replays the trace on each ordering and sets replay and replay_place. started
// counts the started jobs of all replays. Errors: Replay's.
absl::Status ReplayOrderings(const std::shared_ptr<const Machine>& machine,
                             const OrderingTrial& trial,
                             std::vector<MeasuredOrdering>& compared,
                             std::atomic<std::uint64_t>& started);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_COMPARED_ORDERINGS_H_
