// SPDX-License-Identifier: GPL-3.0-or-later
// The policies that the comment of a job may name by default, on networks of
// 10,000 nodes, empty and half busy, for requests from 1 node to all but one,
// with and without required nodes. slurmctld waits for each of these decisions.
//
// Target: worst_ms, of the slowest request, at most 2 (fastest of the
// iterations; the label names the request). mc, mc1x1 and min-hr are measured
// because they are not in the default list: they may search until the deadline
// of 20 ms. Their target is worst_ms at most 22.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "config/daemon_file.h"
#include "core/deadline.h"
#include "core/policy.h"
#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"
#include "topology/dragonfly.h"
#include "topology/fat_tree.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr ZoneId kZones = 1000;

std::shared_ptr<const Machine> On(std::shared_ptr<const Topology> topology) {
  std::vector<std::string> names;
  for (NodeId node = 0; node < topology->node_count(); ++node) {
    names.push_back("n" + std::to_string(node));
  }
  return Machine::Create("wide", std::move(names), std::move(topology)).value();
}

// 10,240 nodes, 20 at a leaf, 32 leaves below a switch of the second level.
std::shared_ptr<const Topology> Tree() {
  SwitchTree tree;
  for (VertexId leaf = 0; leaf < 512; ++leaf) {
    tree.parent.push_back(512 + leaf / 32);
    tree.nodes_at.push_back(20);
  }
  tree.parent.resize(529, 528);
  tree.nodes_at.resize(529, 0);
  return MakeFatTree(std::move(tree)).value();
}

const std::map<std::string, std::shared_ptr<const Machine>>& Machines() {
  static const auto machines = [] {
    std::map<std::string, std::shared_ptr<const Machine>> made = {
        {"mesh_100x100", MeshMachine(FlatGrid({100, 100}))},
        {"torus_22x22x22", MeshMachine(TorusGrid({22, 22, 22}))},
        {"dragonfly_73x12x12", On(MakeDragonfly({73, 12, 12}).value())},
        {"dragonfly_100x100x1", On(MakeDragonfly({100, 100, 1}).value())},
        {"fat_tree", On(Tree())}};
    for (auto& [name, machine] : made) machine = InSomeRoom(machine, kZones, 1);
    return made;
  }();
  return machines;
}

struct Case {
  bool half_busy = false;
  NodeCount nodes = 0;
  NodeCount required = 0;  // the first free nodes
};

std::vector<Case> Cases(NodeCount nodes) {
  std::vector<Case> cases;
  for (const NodeCount size : {1U, 64U, 1'000U, 2'500U, 4'000U}) {
    cases.push_back({false, size, 0});
    cases.push_back({true, size, 0});
  }
  for (const NodeCount size : {5'000U, 7'500U, nodes - 1}) {
    cases.push_back({false, size, 0});
  }
  cases.push_back({false, 300, 200});
  cases.push_back({false, 5'100, 5'000});
  cases.push_back({true, 4'000, 2'000});
  return cases;
}

std::string Describe(const Case& each) {
  return std::string(each.half_busy ? "half busy, " : "empty, ") +
         std::to_string(each.nodes) + " nodes, " +
         std::to_string(each.required) + " required";
}

void Worst(benchmark::State& state, const std::string& policy_name,
           const std::shared_ptr<const Machine>& machine) {
  const auto policy = MakePolicy(policy_name, machine,
                                 {MakeOrdering(*machine, "row-major").value()})
                          .value();
  const NodeSet all = NodeSet::All(machine->node_count());
  NodeSet half = all;
  std::mt19937 random(1);
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    if (random() % 2 == 0) half.Erase(node);
  }
  const RoomWithJobs all_jobs(*machine, all);
  const RoomWithJobs half_jobs(*machine, half);
  const std::vector<Case> cases = Cases(machine->node_count());
  std::vector<double> fastest_ms(cases.size(),
                                 std::numeric_limits<double>::max());
  for (auto _ : state) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const NodeSet& free = cases[i].half_busy ? half : all;
      const MachineView view(
          *machine, free, {}, 0,
          (cases[i].half_busy ? half_jobs : all_jobs).view());
      Request request;
      request.demand = Demand::Nodes(cases[i].nodes);
      std::vector<NodeId> required = free.Members();
      required.resize(cases[i].required);
      request.required = NodeSet(machine->node_count(), required);
      const auto begin = Clock::now();
      Budget budget =
          BudgetUntil(begin + std::chrono::milliseconds(20), &Clock::now);
      Trace trace;
      benchmark::DoNotOptimize(policy->Place(view, request, budget, trace));
      const double ms = Milliseconds(Clock::now() - begin).count();
      fastest_ms[i] = std::min(fastest_ms[i], ms);
    }
  }
  const auto worst = std::max_element(fastest_ms.begin(), fastest_ms.end());
  state.counters["worst_ms"] = *worst;
  state.SetLabel(Describe(cases[worst - fastest_ms.begin()]));
}

const bool kRegistered = [] {
  std::vector<std::string> names(std::begin(kDefaultCommentPolicies),
                                 std::end(kDefaultCommentPolicies));
  for (const char* search : {"mc", "mc1x1", "min-hr"}) {
    if (std::find(names.begin(), names.end(), search) == names.end())
      names.emplace_back(search);
  }
  for (const std::string& name : names) {
    for (const char* machine :
         {"mesh_100x100", "torus_22x22x22", "dragonfly_73x12x12",
          "dragonfly_100x100x1", "fat_tree"}) {
      benchmark::RegisterBenchmark(
          ("CommentPolicy/" + name + "/" + machine).c_str(),
          [name, machine](benchmark::State& state) {
            Worst(state, name, Machines().at(machine));
          })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(5);
    }
  }
  return true;
}();

}  // namespace
}  // namespace coolspan
