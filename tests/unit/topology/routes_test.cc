// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Network {
  std::string name;
  std::shared_ptr<const Machine> machine;
  RouteOptions options = {};
};

std::vector<Network> Networks() {
  return {{"line", MeshMachine(FlatGrid({7}))},
          {"mesh", MeshMachine(FlatGrid({4, 3, 2}))},
          {"torus of odd extents", MeshMachine(TorusGrid({5, 3}))},
          {"torus of even extents", MeshMachine(TorusGrid({4, 6, 2}))},
          {"uneven torus", MeshMachine(UnevenGrid())},
          {"fat tree", FatTreeMachine()},
          {"dragonfly", DragonflyMachine()},
          {"small dragonfly", MachineOn(MakeDragonfly({3, 2, 2}).value())},
          {"one group", MachineOn(MakeDragonfly({1, 4, 2}).value())},
          {"valiant", DragonflyMachine(), {.valiant = true}},
          {"valiant with two groups",
           MachineOn(MakeDragonfly({2, 3, 2}).value()),
           {.valiant = true}}};
}

std::unique_ptr<Routes> RoutesOn(const Network& network) {
  return MakeRoutes(network.machine->topology(), network.options).value();
}

// The traffic by the ends of links.
using Traffic = std::map<std::pair<VertexId, VertexId>, double>;

Traffic RouteOf(Routes& routes, VertexId from, VertexId to, double volume = 1) {
  LinkLoads loads(routes.link_count());
  routes.AddRoute(from, to, volume, loads);
  Traffic traffic;
  for (const auto& [link, load] : loads.Take()) {
    const Routes::Ends ends = routes.EndsOf(link);
    traffic[{ends.from, ends.to}] += load;
  }
  return traffic;
}

TEST(RoutesTest, LeadOverLinksFromEndToEnd) {
  for (const Network& network : Networks()) {
    const Topology& topology = network.machine->topology();
    const auto routes = RoutesOn(network);
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
      const VertexId from = Below(random, topology.vertex_count());
      const VertexId to = Below(random, topology.vertex_count());
      std::map<VertexId, double> surplus = {{from, -1}, {to, 0}};
      surplus[to] += 1;
      for (const auto& [ends, load] : RouteOf(*routes, from, to)) {
        ASSERT_EQ(topology.VertexDistance(ends.first, ends.second), 1U)
            << network.name;
        surplus[ends.first] += load;
        surplus[ends.second] -= load;
      }
      for (const auto& [vertex, rest] : surplus) {
        ASSERT_NEAR(rest, 0, 1e-12)
            << network.name << ": " << from << " to " << to << " at " << vertex;
      }
    }
  }
}

TEST(RoutesTest, AreMinimal) {
  for (const Network& network : Networks()) {
    if (network.options.valiant) continue;
    const Topology& topology = network.machine->topology();
    const auto routes = RoutesOn(network);
    for (VertexId from = 0; from < topology.vertex_count(); ++from) {
      for (VertexId to = 0; to < topology.vertex_count(); ++to) {
        double hops = 0;
        for (const auto& [ends, load] : RouteOf(*routes, from, to))
          hops += load;
        const Hops shortest = topology.VertexDistance(from, to);
        if (topology.kind() == "dragonfly" && hops == 3) {
          ASSERT_GE(shortest, 2U);  // maybe through a third group
        } else {
          ASSERT_EQ(hops, shortest) << network.name;
        }
      }
    }
  }
}

TEST(RoutesTest, AllToAllIsTheSumOverPairs) {
  std::mt19937 random(2);
  for (const Network& network : Networks()) {
    const Topology& topology = network.machine->topology();
    const auto routes = RoutesOn(network);
    for (const std::size_t count : {1U, 2U, 3U, 6U, 11U, 40U}) {
      const std::vector<NodeId> nodes = RandomNodes(topology, count, random);
      LinkLoads by_pairs(routes->link_count());
      for (const NodeId a : nodes) {
        for (const NodeId b : nodes) {
          if (a == b) continue;
          routes->AddRoute(topology.VertexOf(a), topology.VertexOf(b), 0.5,
                           by_pairs);
        }
      }
      LinkLoads at_once(routes->link_count());
      routes->AddAllToAll(nodes, 0.5, at_once);
      const std::vector<LinkLoad> expected = by_pairs.Take();
      const std::vector<LinkLoad> loads = at_once.Take();
      ASSERT_EQ(loads.size(), expected.size()) << network.name;
      for (std::size_t i = 0; i < loads.size(); ++i) {
        ASSERT_EQ(loads[i].link, expected[i].link) << network.name;
        ASSERT_NEAR(loads[i].load, expected[i].load, 1e-9) << network.name;
      }
    }
  }
}

TEST(RoutesTest, MeshesRouteTheFirstDimensionFirst) {
  const Network mesh = {"mesh", MeshMachine(FlatGrid({3, 3}))};
  EXPECT_EQ(RouteOf(*RoutesOn(mesh), 6, 2),
            (Traffic{{{6, 7}, 1}, {{7, 8}, 1}, {{8, 5}, 1}, {{5, 2}, 1}}));
}

TEST(RoutesTest, RingsAreGoneRoundTheShorterWay) {
  const Network ring = {"ring", MeshMachine(TorusGrid({4}))};
  const auto routes = RoutesOn(ring);
  EXPECT_EQ(RouteOf(*routes, 0, 3), (Traffic{{{0, 3}, 1}}));
  // Both ways are equally long.
  EXPECT_EQ(
      RouteOf(*routes, 0, 2),
      (Traffic{{{0, 1}, 0.5}, {{1, 2}, 0.5}, {{0, 3}, 0.5}, {{3, 2}, 0.5}}));
}

TEST(RoutesTest, FatTreesHaveTheCapacityOfTheirNodes) {
  const Network tree = {"tree", FatTreeMachine(), {.oversubscription = 4}};
  const auto routes = RoutesOn(tree);
  std::map<VertexId, double> above;
  for (LinkId link = 0; link < routes->link_count(); ++link) {
    const Routes::Ends ends = routes->EndsOf(link);
    const double capacity = routes->CapacityOf(link);
    above[std::min(ends.from, ends.to)] = capacity;
  }
  EXPECT_EQ(above.size(), 15U);
  EXPECT_EQ(above[2], 1);     // 3 nodes: at least a link
  EXPECT_EQ(above[7], 2);     // 8 nodes
  EXPECT_EQ(above[13], 6.5);  // 5 + 6 + 7 + 8
}

TEST(RoutesTest, ValiantRoutesLeadThroughEachThirdGroup) {
  // Four groups of one router with a node.
  const Network network = {"dragonfly",
                           MachineOn(MakeDragonfly({4, 1, 1}).value()),
                           {.valiant = true}};
  EXPECT_EQ(
      RouteOf(*RoutesOn(network), 0, 2),
      (Traffic{{{0, 1}, 0.5}, {{1, 2}, 0.5}, {{0, 3}, 0.5}, {{3, 2}, 0.5}}));
}

TEST(RoutesTest, LoadsAreTakenOnceInOrder) {
  LinkLoads loads(4);
  loads.Add(3, 1);
  loads.Add(1, 2);
  loads.Add(2, 0);
  loads.Add(3, 0.5);
  EXPECT_THAT(loads.Take(), ElementsAre(LinkLoad{1, 2}, LinkLoad{3, 1.5}));
  EXPECT_THAT(loads.Take(), ElementsAre());
}

TEST(RoutesTest, OtherTopologiesAreRefused) {
  for (const auto& machine :
       {BlocksMachine(), GraphMachine(), HopMatrixMachine()}) {
    const auto routes = MakeRoutes(machine->topology(), {});
    ASSERT_TRUE(absl::IsInvalidArgument(routes.status()));
    EXPECT_THAT(std::string(routes.status().message()),
                HasSubstr("routes of topology " +
                          std::string(machine->topology().kind()) +
                          " are not known (expected mesh, torus, fat-tree"));
  }
  const auto machine = MachineOn(MakeDragonfly({1, 1U << 14, 1}).value());
  EXPECT_THAT(
      std::string(MakeRoutes(machine->topology(), {}).status().message()),
      HasSubstr("links (expected at most 67108864)"));
}

}  // namespace
}  // namespace coolspan
