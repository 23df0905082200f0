// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/node_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/codec/wire.h"
#include "unit/service/small_cluster.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<NodeTable> TableOf(const std::vector<std::string>& hostlists) {
  static const auto machine = SmallMachine();
  return NodeTable::Create(*machine, hostlists);
}

TEST(NodeTableTest, MachineOrder) {
  const auto table = TableOf({"n[1-8]"});
  ASSERT_TRUE(table.ok()) << table.status();
  std::uint32_t unknown = 9;
  const auto nodes = table->Decode("\x81", "f", unknown);
  ASSERT_TRUE(nodes.ok());
  EXPECT_THAT(nodes->Members(), ElementsAre(0, 7));
  EXPECT_EQ(unknown, 0u);
  EXPECT_EQ(table->Encode(std::vector<NodeId>{0, 7}), "\x81");
}

TEST(NodeTableTest, AnotherOrderWithNamesTheMachineLacks) {
  const auto table = TableOf({"login,n8", "n[2-3],gpu1,gpu2,n7,n1,n4"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->size(), 9u);
  EXPECT_EQ(table->unknown_count(), 3u);
  EXPECT_THAT(table->known().Members(), ElementsAre(0, 1, 2, 3, 6, 7));
  std::uint32_t unknown = 0;
  const auto nodes = table->Decode(std::string("\x13\x01", 2), "f", unknown);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_THAT(nodes->Members(), ElementsAre(3, 7));
  EXPECT_EQ(unknown, 2u) << "login, gpu1";
  EXPECT_EQ(table->Encode(std::vector<NodeId>{3, 7}),
            std::string("\x02\x01", 2));
}

TEST(NodeTableTest, EmptyEntriesAreRefused) {
  for (const std::vector<std::string>& hostlists :
       {std::vector<std::string>{"n[1-8]", ""},
        {"", "n1"},
        {"n1", " ", "n2"},
        {"n1", ",", "n2"},
        {"n1,"},
        {}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(TableOf(hostlists).status()));
  }
}

TEST(NodeTableTest, TextHasTheSameNames) {
  for (const std::vector<std::string>& hostlists :
       {std::vector<std::string>{"n[1-8]"},
        {"n1 ", " n2"},
        {"n[1,3]", "x,y"},
        {"n1\n", "n2"},
        {"\tn1", "deleted-3"}}) {
    const auto table = TableOf(hostlists);
    if (!table.ok()) continue;
    const auto restored = TableOf({table->text()});
    ASSERT_TRUE(restored.ok()) << table->text() << restored.status();
    EXPECT_EQ(restored->epoch(), table->epoch());
  }
}

TEST(NodeTableTest, EpochDependsOnNamesAndTheirOrder) {
  EXPECT_EQ(TableOf({"n[1-8]"})->epoch(),
            TableOf({"n[1-4]", "n[5-8]"})->epoch());
  EXPECT_NE(TableOf({"n[1-8]"})->epoch(), TableOf({"n8,n[1-7]"})->epoch());
  EXPECT_NE(TableOf({"n[1-8]"})->epoch(), TableOf({"n[1-7]"})->epoch());
  EXPECT_NE(TableOf({"ab,c"})->epoch(), TableOf({"a,bc"})->epoch());
}

TEST(NodeTableTest, RefusesBadTables) {
  for (const std::vector<std::string>& hostlists : {std::vector<std::string>{},
                                                    {""},
                                                    {"n1,n1"},
                                                    {"n[1-2]", "n2"},
                                                    {"n[1-99999999]"},
                                                    {"n[1-"}}) {
    const auto table = TableOf(hostlists);
    EXPECT_TRUE(absl::IsInvalidArgument(table.status()));
    EXPECT_THAT(std::string(table.status().message()), HasSubstr("hostlist"));
  }
}

TEST(NodeTableTest, RefusesBadBitmaps) {
  const auto nine = TableOf({"n[1-9]"});
  const auto eight = TableOf({"n[1-8]"});
  std::uint32_t unknown = 0;
  for (const std::string& bitmap :
       {std::string(), std::string(1, '\0'), std::string(3, '\0'),
        std::string("\0\x02", 2)}) {
    const auto nodes = nine->Decode(bitmap, "candidates", unknown);
    EXPECT_TRUE(absl::IsInvalidArgument(nodes.status())) << bitmap.size();
    EXPECT_THAT(std::string(nodes.status().message()),
                HasSubstr("candidates: the bitmap has"));
  }
  EXPECT_FALSE(eight->Decode(std::string(2, '\0'), "f", unknown).ok());
}

TEST(DecodeHoldingTest, UnitsFollowTheNodesTheMachineHas) {
  const auto table = TableOf({"n3,gpu,n1,n2"});
  v1::Holding holding;
  holding.set_nodes("\x0f");
  for (const std::uint32_t units : {3, 9, 1, 2}) holding.add_units(units);
  const auto fact = DecodeHolding(holding, *table);
  ASSERT_TRUE(fact.ok()) << fact.status();
  EXPECT_THAT(fact->nodes, ElementsAre(0, 1, 2));
  EXPECT_THAT(fact->units, ElementsAre(1, 2, 3));
}

TEST(DecodeHoldingTest, UnitsMustFitTheBitmap) {
  const auto table = TableOf({"n[1-8]"});
  v1::Holding shared = WholeHolding(1, {1, 2});
  shared.set_whole(false);
  EXPECT_FALSE(DecodeHolding(shared, *table).ok());
  v1::Holding whole = WholeHolding(1, {1});
  whole.add_units(4);
  EXPECT_FALSE(DecodeHolding(whole, *table).ok());
}

TEST(DecodeCapacityTest, RunsCoverTheTable) {
  const auto table = TableOf({"n3,gpu,n1"});
  google::protobuf::RepeatedPtrField<v1::UnitsRun> runs;
  const auto add = [&runs](std::uint32_t nodes, std::uint32_t units) {
    runs.Add()->set_nodes(nodes);
    runs[runs.size() - 1].set_units(units);
  };
  EXPECT_THAT(*DecodeCapacity(runs, *table, 8),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
  add(1, 7);
  EXPECT_FALSE(DecodeCapacity(runs, *table, 8).ok()) << "too few";
  add(2, 5);
  EXPECT_THAT(*DecodeCapacity(runs, *table, 8),
              ElementsAre(5, 1, 7, 1, 1, 1, 1, 1));
  add(4'000'000'000, 5);
  EXPECT_FALSE(DecodeCapacity(runs, *table, 8).ok()) << "too many";
  runs.RemoveLast();
  runs[0].set_units(0);
  EXPECT_FALSE(DecodeCapacity(runs, *table, 8).ok()) << "0 units";
}

}  // namespace
}  // namespace coolspan
