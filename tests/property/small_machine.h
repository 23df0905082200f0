// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_SMALL_MACHINE_H_
#define COOLSPAN_TESTS_PROPERTY_SMALL_MACHINE_H_

#include <rapidcheck.h>

#include <memory>
#include <numeric>
#include <ostream>
#include <utility>
#include <vector>

#include "core/policy.h"
#include "mesh_machine.h"
#include "ordering/ordering.h"
#include "policy/linear/free_intervals.h"
#include "policy/table.h"

namespace coolspan {

// A question about a machine small enough to try every answer.
struct SmallQuestion {
  std::vector<bool> free;      // by rank
  std::vector<Rank> order;     // node at each rank
  std::vector<bool> required;  // by rank; free ones only
  NodeCount nodes = 1;  // at least the required ones, at most the free ones
  bool linear = false;

  NodeCount size() const { return static_cast<NodeCount>(free.size()); }
};

inline std::ostream& operator<<(std::ostream& out, const SmallQuestion& q) {
  out << (q.linear ? "linear " : "ring ") << q.nodes << " of ";
  for (std::size_t i = 0; i < q.free.size(); ++i) {
    out << (q.required[i] ? 'R' : q.free[i] ? '.' : '#');
  }
  return out;
}

// The maximal runs of free ranks, ascending.
inline std::vector<Interval> IntervalsOf(const std::vector<bool>& free) {
  std::vector<Interval> intervals;
  for (Rank rank = 0; rank < free.size(); ++rank) {
    if (!free[rank]) continue;
    if (rank == 0 || !free[rank - 1]) intervals.push_back({rank, 0});
    ++intervals.back().size;
  }
  return intervals;
}

// Machines of 1 to max_nodes nodes with a free one.
inline rc::Gen<SmallQuestion> Question(NodeCount max_nodes,
                                       bool with_required) {
  return rc::gen::exec([=] {
    SmallQuestion q;
    const auto size = *rc::gen::inRange<NodeCount>(1, max_nodes + 1);
    const int busy_in_ten = *rc::gen::inRange(0, 9);
    q.free.resize(size);
    q.required.resize(size);
    const auto surely_free = *rc::gen::inRange<NodeCount>(0, size);
    for (NodeCount i = 0; i < size; ++i) {
      q.free[i] = i == surely_free || *rc::gen::inRange(0, 10) >= busy_in_ten;
      q.required[i] =
          with_required && q.free[i] && *rc::gen::inRange(0, 4) == 0;
    }
    q.order.resize(size);
    std::iota(q.order.begin(), q.order.end(), Rank{0});
    for (NodeCount i = size; i > 1; --i) {
      std::swap(q.order[i - 1], q.order[*rc::gen::inRange<NodeCount>(0, i)]);
    }
    const auto free = std::count(q.free.begin(), q.free.end(), true);
    const auto required =
        std::count(q.required.begin(), q.required.end(), true);
    q.nodes = *rc::gen::inRange<NodeCount>(
        static_cast<NodeCount>(std::max<std::ptrdiff_t>(1, required)),
        static_cast<NodeCount>(free + 1));
    q.linear = *rc::gen::arbitrary<bool>();
    return q;
  });
}

// What the policy answers, as ranks, ascending.
inline std::vector<Rank> Answer(const SmallQuestion& q,
                                std::string_view policy_name) {
  const auto machine = MeshMachine(FlatGrid({q.size()}));
  PolicyOptions options;
  options.ordering = std::make_shared<const Ordering>(
      Ordering::Create("drawn", q.order).value());
  options.span = q.linear ? SpanKind::kLinear : SpanKind::kRing;
  NodeSet free(q.size());
  Request request;
  request.demand = Demand::Nodes(q.nodes);
  request.required = NodeSet(q.size());
  for (Rank rank = 0; rank < q.size(); ++rank) {
    if (q.free[rank]) free.Insert(q.order[rank]);
    if (q.required[rank]) request.required.Insert(q.order[rank]);
  }
  Budget budget;
  Trace trace;
  const auto policy = MakePolicy(policy_name, machine, options).value();
  const auto allocation =
      policy->Place(MachineView(*machine, free, {}, 0), request, budget, trace);
  RC_ASSERT(allocation.has_value());
  std::vector<Rank> ranks;
  for (const NodeId node : allocation->nodes) {
    ranks.push_back(options.ordering->RankOf(node));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// By the definitions: last - first + 1.
inline NodeCount LinearSpan(const std::vector<Rank>& ranks) {
  return ranks.back() - ranks.front() + 1;
}

// size less the largest gap, the one over the end of the ring among them.
inline NodeCount RingSpan(const std::vector<Rank>& ranks, NodeCount size) {
  NodeCount gap = ranks.front() + size - ranks.back() - 1;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    gap = std::max(gap, ranks[i] - ranks[i - 1] - 1);
  }
  return size - gap;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_SMALL_MACHINE_H_
