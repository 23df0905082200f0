// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/ordering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "mesh_machine.h"

namespace coolspan {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<NodeId> NodesOf(const Machine& machine, const std::string& spec) {
  const auto ordering = MakeOrdering(machine, spec);
  EXPECT_TRUE(ordering.ok()) << ordering.status();
  if (!ordering.ok()) return {};
  return {(*ordering)->nodes().begin(), (*ordering)->nodes().end()};
}

TEST(OrderingTest, RankAndNodeAreInverse) {
  const auto ordering = Ordering::Create("drawn", {2, 0, 3, 1}).value();
  EXPECT_EQ(ordering.size(), 4U);
  for (Rank rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(ordering.RankOf(ordering.NodeAt(rank)), rank);
  }
  EXPECT_EQ(ordering.RankOf(3), 2U);
}

TEST(OrderingTest, RefusesInvalidPermutations) {
  EXPECT_THAT(std::string(Ordering::Create("o", {0, 2, 2}).status().message()),
              AllOf(HasSubstr("node 2"), HasSubstr("1 and 2")));
  EXPECT_THAT(std::string(Ordering::Create("o", {0, 3, 1}).status().message()),
              HasSubstr("node 3"));
}

TEST(OrderingTest, RowMajorIsTheMachinesOrder) {
  const auto machine = MeshMachine(FlatGrid({3, 2}));
  EXPECT_THAT(NodesOf(*machine, "row-major"), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(OrderingTest, SnakeReversesEveryOtherLine) {
  const auto flat = MeshMachine(FlatGrid({3, 2}));
  EXPECT_THAT(NodesOf(*flat, "snake"), ElementsAre(0, 1, 2, 5, 4, 3));
  const auto solid = MeshMachine(FlatGrid({2, 3, 2}));
  EXPECT_THAT(NodesOf(*solid, "snake"),
              ElementsAre(0, 1, 3, 2, 4, 5, 11, 10, 8, 9, 7, 6));
}

// The bits of x and y interleaved, x lowest; codes outside the mesh are
// skipped.
TEST(OrderingTest, MortonInterleavesBits) {
  const auto square = MeshMachine(FlatGrid({4, 4}));
  EXPECT_THAT(
      NodesOf(*square, "morton"),
      ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
  const auto odd = MeshMachine(FlatGrid({3, 2}));
  EXPECT_THAT(NodesOf(*odd, "morton"), ElementsAre(0, 1, 3, 4, 2, 5));
  const auto solid = MeshMachine(FlatGrid({2, 2, 2}));
  EXPECT_THAT(NodesOf(*solid, "morton"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(OrderingTest, VerticesGiveAllTheirNodesAndHolesNone) {
  Grid grid = FlatGrid({2, 2});
  grid.holes = {1};
  grid.nodes_per_vertex = 2;
  const auto machine = MeshMachine(grid);
  // Vertices 0, (1), 3, 2.
  EXPECT_THAT(NodesOf(*machine, "snake"), ElementsAre(0, 1, 4, 5, 2, 3));
}

TEST(OrderingTest, EveryOrderingTakesEveryMesh) {
  Grid holes = TorusGrid({5, 4, 3, 1, 2, 2});
  holes.holes = {0, 17, 100};
  holes.nodes_per_vertex = 3;
  for (const Grid& grid : {FlatGrid({1}), FlatGrid({1, 1, 9}), holes}) {
    const auto machine = MeshMachine(grid);
    for (const OrderingEntry& entry : OrderingTable()) {
      if (entry.name.ends_with(':')) continue;
      EXPECT_EQ(NodesOf(*machine, std::string(entry.name)).size(),
                machine->node_count());
    }
  }
}

TEST(OrderingTest, HilbertIsTheDefaultOnMeshes) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  EXPECT_EQ(MakeOrdering(*machine, "").value()->name(), "hilbert");
  EXPECT_EQ(NodesOf(*machine, ""), NodesOf(*machine, "hilbert"));
}

TEST(OrderingTest, TheErrorForAnUnknownNameListsTheKnownOnes) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  const auto ordering = MakeOrdering(*machine, "hilbart");
  EXPECT_EQ(ordering.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ordering.status().message()),
              AllOf(HasSubstr("hilbart"), HasSubstr("hilbert"),
                    HasSubstr("row-major"), HasSubstr("snake"),
                    HasSubstr("file:PATH"), HasSubstr("mip:ring,seconds=N")));
}

TEST(OrderingTest, ErrorsAreOneLine) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  for (const auto& [spec, shown] :
       {std::pair("hil\nbert", "unknown ordering \"hil\\nbert\""),
        std::pair("mip:ri\nng", "unknown option \"ri\\nng\"")}) {
    EXPECT_THAT(std::string(MakeOrdering(*machine, spec).status().message()),
                HasSubstr(shown));
  }
}

class FileOrderingTest : public testing::Test {
 protected:
  FileOrderingTest()
      : machine_(MeshMachine(FlatGrid({4}))),
        path_(std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~FileOrderingTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  std::string Spec() const { return "file:" + path_.string(); }
  std::string Error() const {
    return std::string(MakeOrdering(*machine_, Spec()).status().message());
  }
  std::string At(const std::string& place) const {
    return path_.string() + ":" + place + ": ";
  }

  std::shared_ptr<const Machine> machine_;
  std::filesystem::path path_;
};

TEST_F(FileOrderingTest, AcceptsIdsOrNamesWithAnySeparators) {
  Write("3,1\n0\t2\n");
  EXPECT_THAT(NodesOf(*machine_, Spec()), ElementsAre(3, 1, 0, 2));
  Write("n2 , n0,\r\nn3,,n1");
  EXPECT_THAT(NodesOf(*machine_, Spec()), ElementsAre(2, 0, 3, 1));
}

TEST_F(FileOrderingTest, ErrorsNameLineAndColumn) {
  Write("n0 n1\n n2 node3");
  EXPECT_THAT(Error(), AllOf(HasSubstr(At("2:5")), HasSubstr("node3")));
  Write("0 1\n2 4");
  EXPECT_THAT(Error(), AllOf(HasSubstr(At("2:3")), HasSubstr("id 4")));
  Write("0 1\n1 2");
  EXPECT_THAT(Error(), AllOf(HasSubstr(At("2:1")), HasSubstr("line 1")));
  Write("0 1 2 3\n\n0");
  EXPECT_THAT(Error(), AllOf(HasSubstr(At("3:1")), HasSubstr("4 nodes")));
  Write("n0 n1 2 n3");
  EXPECT_THAT(Error(), AllOf(HasSubstr(At("1:7")), HasSubstr("\"2\"")));
  Write("99999999999999999999 1 2 3");
  EXPECT_THAT(Error(), HasSubstr(At("1:1")));
}

TEST_F(FileOrderingTest, ErrorsNameTheMissingNodeOrFile) {
  Write("n0 n1 n3");
  EXPECT_THAT(Error(), AllOf(HasSubstr(path_.string()), HasSubstr("n2")));
  Write("");
  EXPECT_THAT(Error(), HasSubstr("n0"));
  std::filesystem::remove(path_);
  EXPECT_THAT(Error(),
              AllOf(HasSubstr(path_.string()), HasSubstr("cannot be read")));
  EXPECT_EQ(MakeOrdering(*machine_, Spec()).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(MakeOrdering(*machine_, "file:").status().message()),
              HasSubstr("path"));
}

TEST_F(FileOrderingTest, RefusesArbitraryBytes) {
  Write(std::string(100'000, 'x'));
  EXPECT_THAT(Error(), HasSubstr(At("1:1")));
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes.push_back(static_cast<char>(i * 37));
  Write(bytes);
  EXPECT_FALSE(MakeOrdering(*machine_, Spec()).ok());
  EXPECT_FALSE(MakeOrdering(*machine_, "file:/").ok());
}

}  // namespace
}  // namespace coolspan
