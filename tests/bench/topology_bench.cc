// SPDX-License-Identifier: GPL-3.0-or-later
// Distances and their sums on each kind of network. Targets on one core of
// 2020:
//   VertexDistance   a pair: mesh under 15 ns, fat tree of three levels 15 ns,
//                    dragonfly 40 ns, from a table 15 ns
//   PairwiseTotal    1,000 nodes anywhere: under 30 us on mesh and fat tree,
//                    under 1 ms on dragonflies, graphs and hop matrices,
//                    where the plain sum takes half a million distances
//   LoadGraph        10,000 nodes at 1,000 switches of 32 links each: the
//                    table of hops under 200 ms
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "topology/dragonfly.h"
#include "topology/fat_tree.h"
#include "topology/graph.h"

namespace coolspan {
namespace {

std::shared_ptr<const Topology> Torus() {
  return MakeMesh(TorusGrid({24, 24, 24})).value();
}

// 16,384 nodes, 32 at a leaf, 32 leaves below a switch of the second level.
std::shared_ptr<const Topology> ThreeLevels() {
  SwitchTree tree;
  for (VertexId leaf = 0; leaf < 512; ++leaf) {
    tree.parent.push_back(512 + leaf / 32);
    tree.nodes_at.push_back(32);
  }
  tree.parent.resize(529, 528);
  tree.nodes_at.resize(529, 0);
  return MakeFatTree(std::move(tree)).value();
}

std::shared_ptr<const Topology> Fly() {
  return MakeDragonfly({129, 16, 8}).value();
}

GraphPlan Random(VertexId nodes, VertexId switches, VertexId links) {
  std::mt19937 random(1);
  GraphPlan plan;
  plan.nodes_at.assign(nodes, 1);
  plan.nodes_at.resize(nodes + switches, 0);
  for (VertexId node = 0; node < nodes; ++node) {
    plan.links.emplace_back(node, nodes + node % switches);
  }
  for (VertexId s = 0; s < switches; ++s) {
    plan.links.emplace_back(nodes + s, nodes + (s + 1) % switches);
    for (VertexId i = 1; i < links / 2; ++i) {
      plan.links.emplace_back(
          nodes + s, nodes + static_cast<VertexId>(random() % switches));
    }
  }
  return plan;
}

std::shared_ptr<const Topology> Switches() {
  return MakeGraph(Random(10'000, 1'000, 32),
                   [](VertexId) { return std::string(); })
      .value();
}

void VertexDistance(benchmark::State& state,
                    std::shared_ptr<const Topology> (*make)()) {
  const auto topology = make();
  std::mt19937 random(1);
  std::vector<std::pair<VertexId, VertexId>> pairs(4096);
  for (auto& [a, b] : pairs) {
    a = static_cast<VertexId>(random() % topology->vertex_count());
    b = static_cast<VertexId>(random() % topology->vertex_count());
  }
  for (auto _ : state) {
    std::uint64_t hops = 0;
    for (const auto& [a, b] : pairs) hops += topology->VertexDistance(a, b);
    benchmark::DoNotOptimize(hops);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(pairs.size()));
}
BENCHMARK_CAPTURE(VertexDistance, torus, Torus);
BENCHMARK_CAPTURE(VertexDistance, fat_tree, ThreeLevels);
BENCHMARK_CAPTURE(VertexDistance, dragonfly, Fly);
BENCHMARK_CAPTURE(VertexDistance, graph, Switches);

void PairwiseTotal(benchmark::State& state,
                   std::shared_ptr<const Topology> (*make)()) {
  const auto topology = make();
  std::mt19937 random(1);
  std::vector<bool> chosen(topology->node_count());
  for (int i = 0; i < 1000; ++i) chosen[random() % chosen.size()] = true;
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < chosen.size(); ++node) {
    if (chosen[node]) nodes.push_back(node);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(topology->PairwiseTotal(nodes));
  }
}
BENCHMARK_CAPTURE(PairwiseTotal, torus, Torus)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(PairwiseTotal, fat_tree, ThreeLevels)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(PairwiseTotal, dragonfly, Fly)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(PairwiseTotal, graph, Switches)
    ->Unit(benchmark::kMicrosecond);

void LoadGraph(benchmark::State& state) {
  const GraphPlan plan = Random(10'000, 1'000, 32);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        MakeGraph(plan, [](VertexId) { return std::string(); }));
  }
}
BENCHMARK(LoadGraph)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coolspan
