// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/places_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const ScratchFile file(text);
  const auto places = ReadPlacesFile(file.path());
  return std::string(places.status().message());
}

// As a telemetry file with places: other columns, repeated lines, quotes.
TEST(PlacesFileTest, ReadsRowsOfRacks) {
  const ScratchFile file(
      "time,rack,slot,node,row,inlet_c\n"
      "# north first\n"
      "0,A7,2,n3,north,19\n0,A7,1,n1,north,\n0,B,3,\"n9\",north,20\n"
      "0,A7,1,m1,south,18\n300,A7,2,n3,north,21\n");
  const auto places = ReadPlacesFile(file.path());
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_EQ(places->rows(), 2U);
  EXPECT_EQ(places->racks(), 2U);
  EXPECT_EQ(places->slots, 3U);
  EXPECT_THAT(places->rack_names[0], ElementsAre("A7", "B"));
  EXPECT_THAT(places->rack_names[1], ElementsAre("A7"));
  std::vector<std::string> names;
  std::vector<std::uint32_t> vertices;
  for (const RoomPlaces::Node& node : places->nodes) {
    names.push_back(node.name);
    vertices.push_back(node.VertexIn(*places));
  }
  EXPECT_THAT(names, ElementsAre("n1", "n3", "n9", "m1"));
  EXPECT_THAT(vertices, ElementsAre(0, 1, 5, 6));
}

TEST(PlacesFileTest, RefusesOtherFiles) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("no nodes"));
  EXPECT_THAT(ErrorOf("node,rack,slot\n"), HasSubstr("no nodes"));
  EXPECT_THAT(ErrorOf("node,slot\na,1\n"),
              HasSubstr(":1:1: column rack: missing"));
  const std::string head = "node,rack,slot\n";
  EXPECT_THAT(ErrorOf(head + "a,1\n"), HasSubstr(":2:1: 2 values"));
  EXPECT_THAT(ErrorOf(head + "a[1-2],1,1\n"),
              HasSubstr(":2:1: \"a[1-2]\" is not a node name"));
  EXPECT_THAT(ErrorOf(head + ",1,1\n"), HasSubstr("is not a node name"));
  EXPECT_THAT(ErrorOf(head + "a,,1\n"), HasSubstr("the rack is empty"));
  for (const char* const slot : {"0", "-1", "1.5", "x", "", "1025"}) {
    EXPECT_THAT(ErrorOf(head + "a,1," + slot + "\n"),
                HasSubstr("is not a slot"));
  }
  EXPECT_THAT(ErrorOf(head + "a,1,1\na,1,2\n"),
              HasSubstr(":3:1: node a: at two places"));
  EXPECT_THAT(ErrorOf(head + "a,1,1\nb,1,1\n"),
              HasSubstr(":3:1: node b: at the place of node a"));
}

}  // namespace
}  // namespace coolspan
