// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/link_map.h"

#include <gtest/gtest.h>

#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

constexpr char kHeading[] =
    "use of links, tenths of their capacity (. none, ! full)\n";

TEST(LinkMapTest, MeshesHaveTheBusierDirectionBetweenVertices) {
  const auto machine = MeshMachine(FlatGrid({3, 2}));
  const std::vector<RunMap::LinkUse> links = {
      {0, 1, 0.39}, {1, 0, 0.2}, {1, 2, 0}, {2, 1, 1},
      {0, 3, 0.05}, {4, 1, 0},   {3, 4, 0}};
  EXPECT_EQ(DrawLinks(machine->topology(), links), std::string(kHeading) +
                                                       "o3o!o\n"
                                                       "0 .\n"
                                                       "o.o o\n");
}

TEST(LinkMapTest, LinksAroundARingAreAtTheEdges) {
  const auto machine = MeshMachine(TorusGrid({3, 3}));
  const std::vector<RunMap::LinkUse> links = {{2, 0, 0.5}, {7, 1, 0.99}};
  EXPECT_EQ(DrawLinks(machine->topology(), links), std::string(kHeading) +
                                                       "o o o5\n"
                                                       "\n"
                                                       "o o o\n"
                                                       "\n"
                                                       "o o o\n"
                                                       "  9\n");
}

TEST(LinkMapTest, OtherLinksAreListed) {
  const auto tree = FatTreeMachine();
  EXPECT_EQ(
      DrawLinks(tree->topology(),
                std::vector<RunMap::LinkUse>{
                    {0, 12, 0.25}, {12, 0, 0.5}, {1, 12, 0.75}, {2, 12, 0}}),
      std::string(kHeading) +
          "vertices 1 and 12: 0.75\n"
          "vertices 0 and 12: 0.50\n");
  // The planes of a box, and the link between them.
  const auto box = MeshMachine(FlatGrid({2, 1, 2}));
  EXPECT_EQ(DrawLinks(box->topology(),
                      std::vector<RunMap::LinkUse>{{0, 1, 0}, {0, 2, 0.1}}),
            std::string(kHeading) +
                "vertices 0 to 1\n"
                "o.o\n"
                "vertices 2 to 3\n"
                "o o\n"
                "vertices 0 and 2: 0.10\n");
}

}  // namespace
}  // namespace coolspan
