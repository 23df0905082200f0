// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/compared_orderings.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "replay/ports/in_process_port.h"

namespace coolspan {
namespace {

constexpr std::string_view kMip = "mip";

double PairwiseTotal(const MeasuredOrdering& one) {
  for (const NamedValue& metric : one.replay->metrics) {
    if (metric.name == "pairwise_total" && metric.value) return *metric.value;
  }
  return std::numeric_limits<double>::infinity();
}

using PlaceField = std::size_t MeasuredOrdering::*;

// Sets place to 1 + the number of orderings with a smaller value.
template <typename ValueOf>
void SetPlaces(std::vector<MeasuredOrdering>& all, PlaceField place,
               ValueOf value_of) {
  for (MeasuredOrdering& one : all) {
    one.*place =
        1 + static_cast<std::size_t>(std::count_if(
                all.begin(), all.end(), [&](const MeasuredOrdering& other) {
                  return value_of(other) < value_of(one);
                }));
  }
}

}  // namespace

MeasuredOrdering MeasureOrderingOf(const Machine& machine,
                                   std::shared_ptr<const Ordering> ordering) {
  const OrderingCost cost = MeasureOrdering(machine.topology(), *ordering);
  return {.ordering = std::move(ordering), .cost = cost};
}

std::vector<MeasuredOrdering> CompareOrderings(const Machine& machine,
                                               const MeasuredOrdering& chosen,
                                               const OrderingMaker& make) {
  constexpr NodeCount kMaxForMip = 64;
  constexpr std::string_view kQuickMip = "mip:seconds=5";
  const std::string_view chosen_name = chosen.ordering->name();
  std::vector<MeasuredOrdering> all = {chosen};
  for (const OrderingEntry& entry : OrderingTable()) {
    if (entry.name.back() == ':' || entry.name == chosen_name) continue;
    std::string_view spec = entry.name;
    if (spec == kMip) {
      if (chosen_name.starts_with(kMip) || machine.node_count() > kMaxForMip) {
        continue;
      }
      spec = kQuickMip;
    }
    absl::StatusOr<std::shared_ptr<const Ordering>> ordering =
        make(machine, spec);
    if (ordering.ok()) {
      all.push_back(MeasureOrderingOf(machine, *std::move(ordering)));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const MeasuredOrdering& a, const MeasuredOrdering& b) {
                     return a.cost.locality_cost < b.cost.locality_cost;
                   });
  SetPlaces(all, &MeasuredOrdering::cost_place,
            [](const MeasuredOrdering& one) { return one.cost.locality_cost; });
  return all;
}

absl::Status ReplayOrderings(const std::shared_ptr<const Machine>& machine,
                             const OrderingTrial& trial,
                             std::vector<MeasuredOrdering>& compared,
                             std::atomic<std::uint64_t>& started) {
  for (MeasuredOrdering& one : compared) {
    ReplaySetup setup;
    setup.machine = machine;
    setup.runs = {{.policy = trial.policy,
                   .ordering = one.ordering,
                   .scheduler = trial.scheduler,
                   .seed = trial.seed}};
    setup.open_port =
        InProcessPorts(machine, {.ordering = one.ordering, .span = trial.span});
    absl::StatusOr<std::vector<RunReport>> reports = Replay(
        setup, [&trial](std::uint64_t) { return trial.workload; }, started);
    if (!reports.ok()) return reports.status();
    one.replay = std::move(reports->front());
  }
  SetPlaces(compared, &MeasuredOrdering::replay_place, PairwiseTotal);
  return absl::OkStatus();
}

}  // namespace coolspan
