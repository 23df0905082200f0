// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_CHOICE_COST_H_
#define COOLSPAN_CORE_CHOICE_COST_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "core/ledger.h"
#include "core/machine_snapshot.h"
#include "core/types.h"

namespace coolspan {

// Cost of a choice of nodes for a job.
struct ChoiceCost {
  NodeCount nodes = 0;
  std::uint64_t pairwise_total = 0;  // hops
  // Cooling power of the room after the job's start. nullopt: no room, or
  // outside the valid range of the CoP model.
  std::optional<double> cooling_w;

  // Hops per pair of nodes; 0 with fewer than two nodes.
  double pairwise_mean() const;
  friend bool operator==(const ChoiceCost&, const ChoiceCost&) = default;
};

// In mode advise: the nodes of the decision, and those that the job has.
struct AdviceCost {
  ChoiceCost decided;
  ChoiceCost actual;

  friend bool operator==(const AdviceCost&, const AdviceCost&) = default;
};

// The two choices of an advised job, with the machine before its start, when
// the nodes of the decision were held, and after it.
struct Advice {
  std::shared_ptr<const Holding> decided;
  std::shared_ptr<const Holding> actual;
  MachineSnapshot before;
  MachineSnapshot after;
};

// Jobs of more nodes have no cost on machines without coordinates, where the
// sum over pairs may take quadratic time.
inline constexpr std::size_t kMaxNodesCompared = 4096;

// nullopt: a job of more than kMaxNodesCompared nodes. Takes milliseconds for
// large jobs and rooms; needs no lock.
std::optional<AdviceCost> CostOf(const Advice& advice);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_CHOICE_COST_H_
