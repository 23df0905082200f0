// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh_machine.h"
#include "topology/mesh.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ErrorOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(MachineTest, FindsNodesByName) {
  const auto machine = LineMachine(1000);
  EXPECT_EQ(machine->node_count(), 1000U);
  for (const NodeId node : {0U, 1U, 999U}) {
    EXPECT_EQ(machine->FindNode(machine->NodeName(node)), node);
  }
  EXPECT_EQ(machine->FindNode("n1000"), std::nullopt);
  EXPECT_EQ(machine->FindNode(""), std::nullopt);
}

TEST(MachineTest, RejectsInvalidNames) {
  const auto topology = std::make_shared<LineTopology>(2);
  EXPECT_THAT(ErrorOf(Machine::Create("m", {"a"}, topology).status()),
              HasSubstr("1 node name, 2 nodes in the topology"));
  EXPECT_THAT(ErrorOf(Machine::Create("m", {"a", ""}, topology).status()),
              HasSubstr("node 1: name is empty"));
  EXPECT_THAT(ErrorOf(Machine::Create("m", {"a", "a"}, topology).status()),
              HasSubstr("node name a: specified more than once"));
}

TEST(MachineTest, FingerprintDependsOnNamesOrderAndDistances) {
  const auto fingerprint = [](std::vector<std::string> names,
                              std::shared_ptr<const Topology> topology) {
    return (*Machine::Create("m", std::move(names), std::move(topology)))
        ->Fingerprint();
  };
  const auto line = std::make_shared<LineTopology>(4);
  const std::uint64_t one = fingerprint({"a", "b", "c", "d"}, line);
  EXPECT_EQ(fingerprint({"a", "b", "c", "d"}, line), one);
  EXPECT_NE(fingerprint({"a", "b", "d", "c"}, line), one);
  EXPECT_NE(fingerprint({"a", "b", "c", "e"}, line), one);
  EXPECT_NE(fingerprint({"a", "b", "c", "d"}, *MakeMesh(FlatGrid({2, 2}))),
            one);
}

TEST(MachineTest, ParsesHostlists) {
  const auto machine = LineMachine(12);
  const auto nodes = machine->ParseNodes("n[1-3,11], n0");
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(nodes->size(), 12U);
  EXPECT_THAT(nodes->Members(), ElementsAre(0, 1, 2, 3, 11));
}

TEST(MachineTest, ParsesIds) {
  const auto machine = LineMachine(12);
  const auto nodes = machine->ParseNodes("3,1\n11 3");
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_THAT(nodes->Members(), ElementsAre(1, 3, 11));
}

// Found by the fuzzer of coordinates files.
TEST(MachineTest, NumbersAreNamesIfANodeHasSuchAName) {
  const auto machine = *Machine::Create("m", {"5", "7", "n0"},
                                        std::make_shared<LineTopology>(3));
  EXPECT_THAT(machine->ParseNodes("7,5")->Members(), ElementsAre(0, 1));
  EXPECT_EQ(ErrorOf(machine->ParseNodes("0").status()),
            "machine m has no node \"0\" (expected nodes as in [5,7],n0)");
  const std::vector<NodeId> nodes = {0, 1, 2};
  EXPECT_EQ(machine->ParseNodes(machine->FormatNodes(nodes))->Members(), nodes);
}

TEST(MachineTest, ParsesAnEmptyList) {
  const auto machine = LineMachine(3);
  EXPECT_THAT(machine->ParseNodes("")->Members(), IsEmpty());
  EXPECT_THAT(machine->ParseNodes(" \n")->Members(), IsEmpty());
}

TEST(MachineTest, ErrorsNameTheUnknownNode) {
  const auto machine = LineMachine(12);
  EXPECT_EQ(ErrorOf(machine->ParseNodes("n[10-14]").status()),
            "machine line has no node \"n12\" (expected nodes as in n[0-11], "
            "or ids 0 to 11 separated by commas)");
  EXPECT_THAT(ErrorOf(machine->ParseNodes("0-3").status()),
              HasSubstr("has no node \"0-3\" (expected nodes as in n[0-11]"));
  EXPECT_THAT(ErrorOf(machine->ParseNodes("[0-3]").status()),
              HasSubstr("has no node \"0\""));
  for (const char* const mixed : {"1,n2", "n2 1", "n[2,3],1"}) {
    EXPECT_EQ(ErrorOf(machine->ParseNodes(mixed).status()),
              "names and ids cannot be mixed (expected nodes as in n[0-11], or "
              "ids 0 to 11 separated by commas)")
        << mixed;
  }
  EXPECT_EQ(ErrorOf(machine->ParseNodes("1,12").status()),
            "column 3: 12 is not a node id (expected 0 to 11)");
  EXPECT_FALSE(machine->ParseNodes("99999999999999999999").ok());
  EXPECT_FALSE(machine->ParseNodes("n[1-").ok());
  EXPECT_FALSE(machine->ParseNodes("n[1-1000000000]").ok());
}

TEST(MachineTest, FormatsWhatItParses) {
  const auto machine = LineMachine(200);
  EXPECT_EQ(machine->FormatNodes(std::vector<NodeId>{0, 1, 2, 9, 10, 100}),
            "n[0-2,9-10,100]");
  EXPECT_EQ(machine->FormatNodes({}), "");
  const std::vector<NodeId> nodes = {3, 5, 6, 7, 198, 199};
  EXPECT_EQ(machine->ParseNodes(machine->FormatNodes(nodes))->Members(), nodes);
}

}  // namespace
}  // namespace coolspan
