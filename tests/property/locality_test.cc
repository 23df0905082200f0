// SPDX-License-Identifier: GPL-3.0-or-later
// Distances and locality figures against their definitions.
#include "locality/locality.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "locality/smallest_box.h"
#include "mesh_machine.h"
#include "ordering/ordering_cost.h"
#include "property/draw_grid.h"

namespace coolspan {
namespace {

Grid RandomGrid(std::mt19937& random) {
  return DrawGrid({60, 7, 7, 3, 3, 3}, random);
}

std::vector<NodeId> RandomNodes(NodeCount size, std::mt19937& random) {
  std::vector<NodeId> nodes(size);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  std::shuffle(nodes.begin(), nodes.end(), random);
  nodes.resize(1 + random() % size);
  return nodes;
}

Hops HopsByDefinition(const Grid& grid, VertexId a, VertexId b) {
  Hops hops = 0;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    const int extent = static_cast<int>(grid.dims[i]);
    const int straight = std::abs(static_cast<int>(a % grid.dims[i]) -
                                  static_cast<int>(b % grid.dims[i]));
    hops += static_cast<Hops>(
        grid.wrap[i] ? std::min(straight, extent - straight) : straight);
    a /= grid.dims[i];
    b /= grid.dims[i];
  }
  return hops;
}

// Length of the shortest interval of a line or ring of `size` places that
// contains all places.
std::uint32_t NaiveSpan(const std::set<std::uint32_t>& places,
                        std::uint32_t size, bool ring) {
  std::uint32_t shortest = *places.rbegin() - *places.begin() + 1;
  if (!ring) return shortest;
  for (const std::uint32_t start : places) {
    std::uint32_t span = 0;
    for (const std::uint32_t place : places) {
      span = std::max(span, (place + size - start) % size + 1);
    }
    shortest = std::min(shortest, span);
  }
  return shortest;
}

std::uint64_t NaiveSmallestBox(const std::vector<std::uint32_t>& dims,
                               std::size_t i, std::uint64_t box,
                               std::uint64_t vertices) {
  if (i == dims.size()) return box >= vertices ? box : ~std::uint64_t{0};
  std::uint64_t smallest = ~std::uint64_t{0};
  for (std::uint32_t extent = 1; extent <= dims[i]; ++extent) {
    smallest = std::min(smallest,
                        NaiveSmallestBox(dims, i + 1, box * extent, vertices));
  }
  return smallest;
}

// Connected components of the nodes, joined at distances of 0 and 1.
std::uint32_t ComponentsByDefinition(const Topology& topology,
                                     const std::vector<NodeId>& nodes) {
  std::vector<std::size_t> component(nodes.size());
  std::iota(component.begin(), component.end(), std::size_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (topology.Distance(nodes[i], nodes[j]) > 1) continue;
        if (component[j] >= component[i]) continue;
        component[i] = component[j];
        changed = true;
      }
    }
  }
  return static_cast<std::uint32_t>(
      std::set<std::size_t>(component.begin(), component.end()).size());
}

RC_GTEST_PROP(MeshDistance, IsTheSumOverDimensions, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto machine = MeshMachine(RandomGrid(random));
  const Topology& mesh = machine->topology();
  const std::vector<NodeId> nodes = RandomNodes(machine->node_count(), random);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Hops hops = HopsByDefinition(*mesh.grid(), mesh.VertexOf(nodes[i]),
                                         mesh.VertexOf(nodes[j]));
      RC_ASSERT(mesh.Distance(nodes[i], nodes[j]) == hops);
      total += hops;
    }
  }
  RC_ASSERT(mesh.PairwiseTotal(nodes) == total);
}

RC_GTEST_PROP(MeshVertices, NumberTheirNodesInOrder, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Grid grid = RandomGrid(random);
  const auto mesh = MakeMesh(grid).value();
  NodeId next = 0;
  for (VertexId vertex = 0; vertex < mesh->vertex_count(); ++vertex) {
    const bool hole =
        std::count(grid.holes.begin(), grid.holes.end(), vertex) > 0;
    const Topology::NodeRange range = mesh->NodesAt(vertex);
    RC_ASSERT(range.count == (hole ? 0 : grid.nodes_per_vertex));
    for (NodeCount i = 0; i < range.count; ++i, ++next) {
      RC_ASSERT(range.first + i == next);
      RC_ASSERT(mesh->VertexOf(next) == vertex);
    }
  }
  RC_ASSERT(next == mesh->node_count());
}

void CompareBox(const Locality::Box& box, const Grid& grid,
                const Topology& mesh, const std::vector<NodeId>& nodes) {
  std::uint64_t size = 1;
  std::uint32_t sum = 0;
  std::uint32_t largest = 0;
  VertexId stride = 1;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    std::set<std::uint32_t> places;
    for (const NodeId node : nodes) {
      places.insert(mesh.VertexOf(node) / stride % grid.dims[i]);
    }
    stride *= grid.dims[i];
    const std::uint32_t extent = NaiveSpan(places, grid.dims[i], grid.wrap[i]);
    size *= extent;
    sum += extent;
    largest = std::max(largest, extent);
  }
  RC_ASSERT(box.size == size);
  RC_ASSERT(box.dims_sum == sum);
  std::uint64_t cube = 1;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) cube *= largest;
  RC_ASSERT(box.cube == cube);

  const std::uint64_t vertices =
      (nodes.size() + grid.nodes_per_vertex - 1) / grid.nodes_per_vertex;
  const std::uint64_t min_box = NaiveSmallestBox(grid.dims, 0, 1, vertices);
  RC_ASSERT(box.box_expansion ==
            static_cast<double>(size) / static_cast<double>(min_box));
  double min_cube = 0;
  for (double side = 1; min_cube < static_cast<double>(vertices); ++side) {
    min_cube = std::pow(side, grid.dims.size());
  }
  RC_ASSERT(box.cube_expansion == static_cast<double>(cube) / min_cube);
}

RC_GTEST_PROP(LocalityMeter, MeasuresByTheDefinitions, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto machine = MeshMachine(RandomGrid(random));
  const Topology& mesh = machine->topology();
  const NodeCount size = machine->node_count();
  const auto ordering = MakeOrdering(*machine, "snake").value();
  LocalityMeter meter(mesh, *ordering);
  for (int i = 0; i < 2; ++i) {
    const std::vector<NodeId> nodes = RandomNodes(size, random);
    const auto n = static_cast<double>(nodes.size());
    const Locality locality = meter.Measure(nodes);

    double total = 0;
    std::set<Rank> ranks;
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      ranks.insert(ordering->RankOf(nodes[a]));
      for (std::size_t b = 0; b < a; ++b) {
        total += mesh.Distance(nodes[a], nodes[b]);
      }
    }
    RC_ASSERT(static_cast<double>(locality.pairwise_total) == total);
    RC_ASSERT(locality.pairwise_mean ==
              (nodes.size() == 1 ? 0 : total / (n * (n - 1) / 2)));
    RC_ASSERT(locality.comm_cost == 2 * total / n);
    RC_ASSERT(locality.linear_span == NaiveSpan(ranks, size, false));
    RC_ASSERT(locality.ring_span == NaiveSpan(ranks, size, true));
    RC_ASSERT(locality.stretch_span == locality.ring_span / n);
    RC_ASSERT(locality.components == ComponentsByDefinition(mesh, nodes));
    CompareBox(locality.box.value(), *mesh.grid(), mesh, nodes);
  }
}

RC_GTEST_PROP(OrderingCost, SumsOverPairsOfRanks, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto machine = MeshMachine(RandomGrid(random));
  const Topology& mesh = machine->topology();
  const auto ordering = MakeOrdering(*machine, "snake").value();
  const NodeCount n = ordering->size();
  double steps = 0;
  Hops max_step = 0;
  double cost = 0;
  double cost_ring = 0;
  for (Rank i = 0; i < n; ++i) {
    for (Rank j = i + 1; j < n; ++j) {
      const Hops hops = mesh.Distance(ordering->NodeAt(i), ordering->NodeAt(j));
      const Rank line = j - i;
      const Rank ring = std::min(line, n - line);
      if (line == 1) {
        steps += hops;
        max_step = std::max(max_step, hops);
      }
      if (line <= 32) cost += std::pow(2.0, -double(line)) * hops;
      if (ring <= 32) cost_ring += std::pow(2.0, -double(ring)) * hops;
    }
  }
  const OrderingCost measured = MeasureOrdering(mesh, *ordering);
  RC_ASSERT(measured.max_step == max_step);
  RC_ASSERT(std::abs(measured.mean_step - (n > 1 ? steps / (n - 1) : 0)) <
            1e-12);
  RC_ASSERT(std::abs(measured.locality_cost - cost) < 1e-9 * (1 + cost));
  RC_ASSERT(std::abs(measured.locality_cost_ring - cost_ring) <
            1e-9 * (1 + cost_ring));
}

}  // namespace
}  // namespace coolspan
