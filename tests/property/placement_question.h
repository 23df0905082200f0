// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_PLACEMENT_QUESTION_H_
#define COOLSPAN_TESTS_PROPERTY_PLACEMENT_QUESTION_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/policy.h"
#include "ordering/ordering.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {

// A request on a machine with few free nodes, so that all answers can be tried.
struct PlacementQuestion {
  std::shared_ptr<const Machine> machine;
  std::vector<NodeId> free;
  std::vector<NodeId> required;  // of the free ones
  NodeCount nodes = 1;
};

// At most most_free nodes free and 1 to all of them asked for; now and then
// some of them required.
inline PlacementQuestion DrawQuestion(std::shared_ptr<const Machine> machine,
                                      NodeCount max_free,
                                      std::mt19937& random) {
  PlacementQuestion question;
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    question.free.push_back(node);
  }
  std::shuffle(question.free.begin(), question.free.end(), random);
  const auto most = std::min<std::size_t>(max_free, question.free.size());
  question.free.resize(1 + random() % most);
  question.nodes = static_cast<NodeCount>(1 + random() % question.free.size());
  if (random() % 3 == 0) {
    question.required.assign(
        question.free.begin(),
        question.free.begin() +
            static_cast<std::ptrdiff_t>(random() % (question.nodes + 1)));
  }
  std::sort(question.free.begin(), question.free.end());
  std::sort(question.required.begin(), question.required.end());
  question.machine = std::move(machine);
  return question;
}

using NodeDistance = std::function<std::uint64_t(NodeId, NodeId)>;

// Over all answers the least sum of distances over pairs.
inline std::uint64_t LeastTotal(const PlacementQuestion& question,
                                const NodeDistance& distance) {
  const std::size_t n = question.free.size();
  std::uint32_t required = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::binary_search(question.required.begin(), question.required.end(),
                           question.free[i])) {
      required |= 1U << i;
    }
  }
  std::uint64_t least = ~std::uint64_t{0};
  std::vector<std::uint64_t> totals(std::size_t{1} << n, 0);
  for (std::uint32_t set = 1; set < totals.size(); ++set) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
    totals[set] = totals[set & (set - 1)];
    for (std::size_t i = lowest + 1; i < n; ++i) {
      if ((set >> i & 1) != 0) {
        totals[set] += distance(question.free[lowest], question.free[i]);
      }
    }
    if (static_cast<NodeCount>(std::popcount(set)) == question.nodes &&
        (set & required) == required) {
      least = std::min(least, totals[set]);
    }
  }
  return least;
}

inline std::uint64_t LeastTotal(const PlacementQuestion& question) {
  return LeastTotal(question, [&question](NodeId a, NodeId b) {
    return std::uint64_t{question.machine->topology().Distance(a, b)};
  });
}

struct Placed {
  std::vector<NodeId> nodes;
  Trace trace;

  // Whether it has this text.
  bool Says(std::string_view name, std::string_view text) const {
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == name) {
        return std::get<std::string_view>(fact.value) == text;
      }
    }
    return false;
  }
  // Of a whole number; -1 where there is none of that name.
  std::int64_t Fact(std::string_view name) const {
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == name) return std::get<std::int64_t>(fact.value);
    }
    return -1;
  }
  // Of a number; no number where there is none of that name.
  double Number(std::string_view name) const {
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == name) return std::get<double>(fact.value);
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
};

inline Placed Place(const PlacementQuestion& question,
                    const std::string& policy, PolicyOptions options = {},
                    Budget budget = Budget()) {
  if (options.ordering == nullptr) {
    options.ordering = MakeOrdering(*question.machine, "row-major").value();
  }
  const auto made = MakePolicy(policy, question.machine, options).value();
  const NodeCount size = question.machine->node_count();
  const NodeSet available(size, question.free);
  Request request;
  request.demand = Demand::Nodes(question.nodes);
  if (!question.required.empty()) {
    request.required = NodeSet(size, question.required);
  }
  Placed placed;
  const RoomWithJobs room(*question.machine, available);
  placed.nodes =
      made->Place(MachineView(*question.machine, available, {}, 0, room.view()),
                  request, budget, placed.trace)
          .value()
          .nodes;
  EXPECT_EQ(placed.nodes.size(), question.nodes);
  EXPECT_TRUE(std::includes(question.free.begin(), question.free.end(),
                            placed.nodes.begin(), placed.nodes.end()));
  EXPECT_TRUE(std::includes(placed.nodes.begin(), placed.nodes.end(),
                            question.required.begin(),
                            question.required.end()));
  return placed;
}

inline std::uint64_t TotalOf(const std::vector<NodeId>& nodes,
                             const NodeDistance& distance) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) total += distance(nodes[i], nodes[j]);
  }
  return total;
}

inline std::uint64_t PlacedTotal(const PlacementQuestion& question,
                                 const std::string& policy,
                                 PolicyOptions options = {}) {
  return question.machine->topology().PairwiseTotal(
      Place(question, policy, std::move(options)).nodes);
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_PLACEMENT_QUESTION_H_
