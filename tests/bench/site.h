// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_BENCH_SITE_H_
#define COOLSPAN_TESTS_BENCH_SITE_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "core/policy.h"
#include "mesh_machine.h"
#include "policy/table.h"

namespace coolspan {

// A mesh in Hilbert order and its free nodes.
struct Site {
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;
  NodeSet free;
};

// is_free: whether a node with this random number is free.
inline Site MakeSite(Grid grid, bool (*is_free)(std::uint32_t)) {
  Site site;
  site.machine = MeshMachine(std::move(grid));
  site.ordering = MakeOrdering(*site.machine, "hilbert").value();
  const NodeCount nodes = site.machine->node_count();
  site.free = NodeSet(nodes);
  std::mt19937 random(1);
  for (NodeId node = 0; node < nodes; ++node) {
    if (is_free(static_cast<std::uint32_t>(random()))) site.free.Insert(node);
  }
  return site;
}

inline std::unique_ptr<Policy> PolicyOn(const Site& site,
                                        const std::string& name) {
  return MakePolicy(name, site.machine, {site.ordering, SpanKind::kRing})
      .value();
}

inline Request RequestOf(NodeCount nodes) {
  Request request;
  request.demand = Demand::Nodes(nodes);
  return request;
}

// The same decision again and again, each with this budget.
inline void DecideOn(const Site& site, const std::string& policy_name,
                     NodeCount nodes, benchmark::State& state,
                     std::uint64_t work_units = Budget::kUnlimited) {
  const std::unique_ptr<Policy> policy = PolicyOn(site, policy_name);
  const Request request = RequestOf(nodes);
  const MachineView view(*site.machine, site.free, {}, 0);
  for (auto _ : state) {
    Budget budget(work_units);
    Trace trace;
    benchmark::DoNotOptimize(policy->Place(view, request, budget, trace));
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_BENCH_SITE_H_
