// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of core/policy.h, tested for every policy of the table on
// machines of several kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/policy.h"
#include "mesh_machine.h"
#include "network_machines.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

struct Site {
  std::string name;
  // Returns nullptr if its data are not available.
  std::function<std::shared_ptr<const Machine>()> make;
  SpanKind span = SpanKind::kRing;
};

// One site for each kind of topology, and several for grids.
std::vector<Site> Sites() {
  const auto mesh = [](Grid grid) {
    return [grid = std::move(grid)] { return MeshMachine(grid); };
  };
  Grid holes = FlatGrid({6, 5, 4});
  holes.holes = {0, 7, 8, 9, 60, 119};
  Grid shared = TorusGrid({8, 8});
  shared.nodes_per_vertex = 4;
  shared.holes = {0, 1, 2, 3, 4, 5, 6, 7};
  return {
      {"Line", mesh(FlatGrid({37}))},
      {"OneNode", mesh(FlatGrid({1}))},
      {"Mesh", mesh(FlatGrid({16, 8})), SpanKind::kLinear},
      {"Torus", mesh(TorusGrid({5, 4, 3}))},
      {"OneWide", mesh(FlatGrid({1, 70, 1}))},
      {"Large", mesh(FlatGrid({50, 60}))},
      {"Holes", mesh(holes)},
      {"FourToAVertex", mesh(shared)},
      {"Uneven", mesh(UnevenGrid())},
      {"CrayTable", CrayMachine},
      {"FatTree", FatTreeMachine},
      {"Abacus", AbacusMachine},
      {"Circe", CirceMachine},
      {"Dragonfly", DragonflyMachine},
      {"Theta", ThetaMachine},
      {"Graph", GraphMachine},
      {"HopMatrix", HopMatrixMachine},
  };
}

// Budget per decision: small, as there are thousands, and fixed, so that
// answers are repeatable.
constexpr std::uint64_t kWork = 20'000;

class PolicyContractTest
    : public testing::TestWithParam<std::tuple<std::string, Site>> {
 protected:
  PolicyContractTest() : machine_(MachineOf(std::get<1>(GetParam()))) {
    if (machine_ == nullptr) return;
    ordering_ = OrderingOf(std::get<1>(GetParam()).name, *machine_);
    policy_ = NewPolicy();
  }

  void SetUp() override {
    if (machine_ == nullptr) COOLSPAN_NEED_DATA("topology");
  }

  // Machines are made once for all policies, each with a room.
  static std::shared_ptr<const Machine> MachineOf(const Site& site) {
    static std::map<std::string, std::shared_ptr<const Machine>> cache;
    const auto [entry, is_new] = cache.try_emplace(site.name);
    if (!is_new) return entry->second;
    entry->second = site.make();
    if (entry->second != nullptr) {
      constexpr ZoneId kMaxZones = 60;
      const auto number = static_cast<std::uint32_t>(cache.size());
      entry->second = InSomeRoom(entry->second, kMaxZones, number);
    }
    return entry->second;
  }
  static std::shared_ptr<const Ordering> OrderingOf(const std::string& site,
                                                    const Machine& machine) {
    static std::map<std::string, std::shared_ptr<const Ordering>> cache;
    const auto [entry, is_new] = cache.try_emplace(site);
    if (is_new) entry->second = MakeOrdering(machine, "").value();
    return entry->second;
  }

  std::unique_ptr<const Policy> NewPolicy() const {
    return MakePolicy(std::get<0>(GetParam()), machine_,
                      {ordering_, std::get<1>(GetParam()).span})
        .value();
  }

  NodeCount size() const { return machine_->node_count(); }
  // The number of repetitions: `questions` for fast policies, fewer for those
  // that search, fewer still on large machines.
  int Times(int questions) const {
    constexpr NodeCount kLarge = 1000;
    const bool quick = policy_->name() == "random" ||
                       FindPolicy(policy_->name())->uses_ordering;
    const NodeCount places =
        std::max(size(), machine_->topology().vertex_count());
    if (quick) return questions;
    return 1 + questions / (places < kLarge ? 3 : 50);
  }
  std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_() % bound);
  }

  // Each node with probability free_in_ten / 10.
  NodeSet SomeNodes(std::uint32_t free_in_ten) {
    NodeSet nodes(size());
    for (NodeId node = 0; node < size(); ++node) {
      if (Below(10) < free_in_ten) nodes.Insert(node);
    }
    return nodes;
  }

  // `count` random members of the set.
  NodeSet SomeOf(const NodeSet& nodes, NodeCount count) {
    std::vector<NodeId> members = nodes.Members();
    std::shuffle(members.begin(), members.end(), random_);
    members.resize(count);
    return NodeSet(size(), members);
  }

  std::optional<Allocation> Ask(const Policy& policy, const NodeSet& available,
                                const Request& request,
                                const std::vector<Units>& units = {}) const {
    Budget budget(kWork);
    Trace trace;
    const RoomWithJobs room(*machine_, available);
    const UnitsByNode free_units(units);
    constexpr TimeMs kNow = 1'000'000;
    EndsByNode ends(size(), kUnknownEnd);
    for (NodeId node = 0; node < size(); node += 2) {
      if (!available.Contains(node)) ends.Mutable(node) = kNow + 50'000 * node;
    }
    RecentStarts starts;
    for (TimeMs i = 0; i < 5; ++i) starts.Add({i * 200'000, 2, 300'000});
    const MachineView view(*machine_, available,
                           units.empty() ? nullptr : &free_units, 1,
                           room.view(), &ends, kNow, &starts);
    return policy.Place(view, request, budget, trace);
  }

  static Request For(NodeCount nodes, std::uint64_t seed = 0) {
    Request request;
    request.demand = Demand::Nodes(nodes);
    request.seed = seed;
    request.expected_run_ms = 400'000;
    request.waited_ms = 100'000;
    return request;
  }

  std::shared_ptr<const Machine> machine_;
  std::shared_ptr<const Ordering> ordering_;
  std::unique_ptr<const Policy> policy_;
  std::mt19937 random_{7};
};

bool StrictlyAscending(const std::vector<NodeId>& nodes) {
  return std::adjacent_find(nodes.begin(), nodes.end(),
                            std::greater_equal<>()) == nodes.end();
}

TEST_P(PolicyContractTest, NameEqualsTableName) {
  EXPECT_EQ(policy_->name(), std::get<0>(GetParam()));
}

TEST_P(PolicyContractTest, AnswersTheRequestedNumberOfAvailableNodes) {
  for (int i = 0; i < Times(200); ++i) {
    const NodeSet available = SomeNodes(Below(11));
    const NodeCount count = available.Count();
    for (const NodeCount nodes :
         {NodeCount{0}, NodeCount{1}, count / 2, count}) {
      if (nodes > count) continue;
      const auto answer = Ask(*policy_, available, For(nodes));
      ASSERT_TRUE(answer.has_value()) << nodes << " of " << count;
      EXPECT_EQ(answer->nodes.size(), nodes);
      EXPECT_TRUE(StrictlyAscending(answer->nodes));
      EXPECT_TRUE(NodeSet(size(), answer->nodes).IsSubsetOf(available));
    }
  }
}

TEST_P(PolicyContractTest, DoesNotPlaceRequestsThatDoNotFit) {
  for (int i = 0; i < Times(50); ++i) {
    const NodeSet available = SomeNodes(Below(11));
    EXPECT_FALSE(Ask(*policy_, available, For(available.Count() + 1)));
    EXPECT_FALSE(Ask(*policy_, available, For(size() + 1)));
    EXPECT_FALSE(Ask(*policy_, available, For(~NodeCount{0})));
  }
}

TEST_P(PolicyContractTest, RequiredNodesAreInTheAnswer) {
  for (int i = 0; i < Times(300); ++i) {
    const NodeSet available = SomeNodes(1 + Below(10));
    const NodeCount count = available.Count();
    if (count == 0) continue;
    const NodeCount nodes = 1 + Below(count);
    Request request = For(nodes);
    request.required = SomeOf(available, Below(std::min(nodes, 5U) + 1));
    const auto answer = Ask(*policy_, available, request);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->nodes.size(), nodes);
    const NodeSet chosen(size(), answer->nodes);
    EXPECT_TRUE(request.required.IsSubsetOf(chosen));
    EXPECT_TRUE(chosen.IsSubsetOf(available));
  }
}

TEST_P(PolicyContractTest, ImpossibleRequiredNodesDoNotFit) {
  NodeSet available = NodeSet::All(size());
  available.Erase(size() / 2);
  Request unavailable = For(1);
  unavailable.required = NodeSet(size());
  unavailable.required.Insert(size() / 2);
  EXPECT_FALSE(Ask(*policy_, available, unavailable));
  if (size() < 3) return;
  Request too_many = For(1);
  too_many.required = SomeOf(available, 2);
  EXPECT_FALSE(Ask(*policy_, available, too_many));
}

TEST_P(PolicyContractTest, AnswerDoesNotDependOnEarlierDecisions) {
  for (int i = 0; i < Times(1000); ++i) {
    const NodeSet available = SomeNodes(Below(11));
    const NodeCount count = available.Count();
    if (count > 0) Ask(*policy_, available, For(1 + Below(count), Below(9)));
  }
  for (int i = 0; i < Times(20); ++i) {
    const NodeSet available = SomeNodes(1 + Below(10));
    const NodeCount count = available.Count();
    if (count == 0) continue;
    Request request = For(1 + Below(count), Below(1000));
    const auto answer = Ask(*policy_, available, request);
    EXPECT_EQ(answer, Ask(*policy_, available, request));
    EXPECT_EQ(answer, Ask(*NewPolicy(), available, request));
  }
}

TEST_P(PolicyContractTest, DoesNotChangeItsInput) {
  const NodeSet available = SomeNodes(6);
  const NodeSet before = available;
  const std::vector<Units> units(size(), 3);
  const std::vector<Units> units_before = units;
  Request request;
  request.demand = {0, size(), 2};
  Ask(*policy_, available, request, units);
  Ask(*policy_, available, For(available.Count() / 2));
  EXPECT_EQ(available, before);
  EXPECT_EQ(units, units_before);
}

TEST_P(PolicyContractTest, ThreadsGetTheSameAnswers) {
  struct Question {
    NodeSet available;
    Request request;
    std::optional<Allocation> answer;
  };
  std::vector<Question> questions(static_cast<std::size_t>(Times(40)));
  for (Question& question : questions) {
    question.available = SomeNodes(1 + Below(10));
    question.request = For(Below(question.available.Count() + 1), Below(99));
    question.answer = Ask(*NewPolicy(), question.available, question.request);
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 5 * questions.size(); ++i) {
        const Question& q = questions[(i * (t + 1) + t) % questions.size()];
        if (Ask(*policy_, q.available, q.request) != q.answer) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

// Whether the required nodes and the other nodes with the most units, at most
// max_nodes in all, have enough units.
bool UnitsCanFit(const NodeSet& available, const Request& request,
                 const std::vector<Units>& units) {
  NodeCount max_others = request.demand.max_nodes;
  std::uint64_t max_units = 0;
  std::vector<Units> others;
  available.ForEach([&](NodeId node) {
    if (request.required.Contains(node)) {
      max_units += units[node];
      max_others = max_others == 0 ? 0 : max_others - 1;
    } else {
      others.push_back(units[node]);
    }
  });
  if (request.required.Count() > request.demand.max_nodes) return false;
  if (available.Count() < request.demand.min_nodes) return false;
  std::sort(others.rbegin(), others.rend());
  for (std::size_t i = 0; i < others.size() && i < max_others; ++i) {
    max_units += others[i];
  }
  return max_units >= request.demand.units;
}

TEST_P(PolicyContractTest, UnitsAreMetWithTheFewestNodes) {
  int placed = 0;
  for (int i = 0; i < Times(300); ++i) {
    const NodeSet available = SomeNodes(1 + Below(10));
    const NodeCount count = available.Count();
    if (count == 0) continue;
    std::vector<Units> units(size());
    const std::uint32_t kinds = 1 + Below(30);
    for (Units& node_units : units) node_units = 1 + Below(kinds);
    Request request;
    request.whole = Below(2) == 0;
    request.demand.min_nodes = Below(std::min(count, 6U) + 1);
    request.demand.max_nodes =
        std::max(1U, request.demand.min_nodes + Below(count + 2));
    request.demand.units = 1 + Below(1 + count * kinds / 2);
    request.required = SomeOf(
        available, Below(std::min({count, 3U, request.demand.max_nodes}) + 1));
    const auto answer = Ask(*policy_, available, request, units);
    ASSERT_EQ(answer.has_value(), UnitsCanFit(available, request, units));
    if (!answer) continue;
    ++placed;

    const NodeSet chosen(size(), answer->nodes);
    EXPECT_TRUE(StrictlyAscending(answer->nodes));
    EXPECT_TRUE(chosen.IsSubsetOf(available));
    EXPECT_TRUE(request.required.IsSubsetOf(chosen));
    EXPECT_GE(answer->nodes.size(), request.demand.min_nodes);
    EXPECT_LE(answer->nodes.size(), request.demand.max_nodes);
    std::uint64_t sum = 0;
    for (const NodeId node : answer->nodes) sum += units[node];
    EXPECT_GE(sum, request.demand.units);
    const auto chosen_count = static_cast<NodeCount>(answer->nodes.size());
    if (chosen_count <= std::max({request.demand.min_nodes,
                                  request.required.Count(), NodeCount{1}})) {
      continue;
    }
    request.demand.max_nodes = chosen_count - 1;
    EXPECT_FALSE(UnitsCanFit(available, request, units));
  }
  EXPECT_GT(placed, Times(20) - 2);
}

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : PolicyTable()) names.emplace_back(entry.name);
  return names;
}

std::string CaseName(
    const testing::TestParamInfo<PolicyContractTest::ParamType>& info) {
  std::string name = std::get<0>(info.param) + std::get<1>(info.param).name;
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, PolicyContractTest,
                         testing::Combine(testing::ValuesIn(PolicyNames()),
                                          testing::ValuesIn(Sites())),
                         CaseName);

}  // namespace
}  // namespace coolspan
