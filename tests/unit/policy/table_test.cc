// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mesh_machine.h"

namespace coolspan {
namespace {

TEST(PolicyTableTest, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : PolicyTable()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.help.empty()) << entry.name;
  }
  for (const char* name :
       {"free-list", "first-fit", "best-fit", "sum-of-squares", "random"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(PolicyTableTest, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  const auto machine = MeshMachine(FlatGrid({4}));
  const auto policy =
      MakePolicy("best-fat", machine, {MakeOrdering(*machine, "").value()});
  ASSERT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(policy.status().message()),
              testing::AllOf(testing::HasSubstr("best-fat"),
                             testing::HasSubstr("best-fit"),
                             testing::HasSubstr("sum-of-squares")));
}

}  // namespace
}  // namespace coolspan
