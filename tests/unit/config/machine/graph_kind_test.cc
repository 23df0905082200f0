// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/config/machine/topology_files.h"
#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kMachine =
    "topology: {kind: graph, edges: FILE}\nnodes: \"n[3,1-2]\"\n";

TEST(GraphKindTest, ReadsLinks) {
  const ScratchFile file(
      "# links\nn1 s1 # first\n\ns1,n2\r\n\ts1\ts2\ns2 n3\ns2 s1\n");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Machine& m = **machine;
  EXPECT_EQ(m.topology().kind(), "graph");
  EXPECT_EQ(m.NodeName(0), "n3");
  EXPECT_EQ(m.topology().vertex_count(), 5U);
  EXPECT_EQ(m.topology().Distance(1, 2), 2U);
  EXPECT_EQ(m.topology().Distance(0, 1), 3U);
  ExpectConsistent(m.topology());
}

TEST(GraphKindTest, OneNodeNeedsNoLink) {
  const ScratchFile file("");
  EXPECT_TRUE(
      ParseWithFile("topology: {kind: graph, edges: FILE}\nnodes: n1\n", file)
          .ok());
}

class BadEdgeListTest : public ::testing::TestWithParam<BadContent> {};

TEST_P(BadEdgeListTest, ErrorHasPositionAndMessage) {
  EXPECT_THAT(ErrorOfContent(kMachine, GetParam().content),
              StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadEdgeListTest,
    ::testing::Values(
        BadContent{
            "one name", "n1 n2\n  n3\n",
            "FILE:2:3: \"  n3\" is not a link (expected the names of its "
            "two ends)"},
        BadContent{"three names", "n1 n2 n3\n",
                   "FILE:1:1: \"n1 n2 n3\" is not"},
        BadContent{"comma", ",\n", "FILE:1:1: \",\" is not a link"},
        BadContent{"to itself", "n1 n1\n",
                   "FILE:1:4: link from \"n1\" to itself"},
        BadContent{"apart", "n1 s1\nn2 s1\nn3 s2\n",
                   "m.yaml:2:32: no path leads from \"n3\" to \"n1\""},
        BadContent{"a node without links", "n1 n2\n",
                   "m.yaml:2:32: no path leads from \"n3\" to \"n1\""},
        BadContent{"a switch apart", "n1 n2\nn2 n3\ns1 s2\n",
                   "m.yaml:2:32: no path leads from \"n3\" to \"s1\""},
        BadContent{"none", "",
                   "m.yaml:2:32: no path leads from \"n3\" to \"n1\""}));

TEST(GraphKindTest, OptionsAreChecked) {
  EXPECT_THAT(ErrorOfContent("topology: {kind: graph}\nnodes: n1\n", ""),
              StartsWith("m.yaml:2:11: topology.edges: missing"));
  EXPECT_THAT(ErrorOfContent("topology: {kind: graph, edges: FILE}\n", ""),
              StartsWith("m.yaml:2:11: nodes: missing"));
  EXPECT_THAT(
      ErrorOfContent("topology: {kind: graph, edges: FILE}\nnodes: \"n1,n1\"\n",
                     ""),
      StartsWith("m.yaml:3:8: node \"n1\": specified more than once"));
  EXPECT_THAT(
      ErrorOfContent(
          "topology: {kind: graph, edges: /nonexistent/e}\nnodes: n1\n", ""),
      HasSubstr("m.yaml:2:32: topology.edges: /nonexistent/e: cannot open"));
}

}  // namespace
}  // namespace coolspan
