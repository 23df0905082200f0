// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "folders.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSmall = R"(name: small
topology: {kind: mesh, dims: [4, 2]}
nodes: "n[1-8]"
)";

absl::StatusOr<std::shared_ptr<const Machine>> Parse(const std::string& text) {
  return ParseMachineFile(text, "m.yaml");
}

std::string ErrorOf(const std::string& text) {
  const auto machine = Parse(text);
  EXPECT_FALSE(machine.ok()) << text;
  EXPECT_TRUE(absl::IsInvalidArgument(machine.status()));
  return std::string(machine.status().message());
}

TEST(MachineFileTest, ReadsAMesh) {
  const auto machine = Parse(kSmall);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->name(), "small");
  EXPECT_EQ((*machine)->node_count(), 8u);
  EXPECT_EQ((*machine)->NodeName(7), "n8");
  const Grid* grid = (*machine)->topology().grid();
  ASSERT_NE(grid, nullptr);
  EXPECT_EQ(grid->dims, (std::vector<std::uint32_t>{4, 2}));
  EXPECT_EQ(grid->wrap, (std::vector<bool>{false, false}));
}

TEST(MachineFileTest, ReadsTheExamples) {
  const std::filesystem::path folder = SourceDir() / "config/machines";
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".yaml") continue;
    ++files;
    EXPECT_TRUE(LoadMachineFile(file.path().string()).ok()) << file.path();
  }
  EXPECT_GE(files, 3u);
}

TEST(MachineFileTest, HolesHaveNoNodes) {
  const auto machine = Parse(R"(name: holes
topology: {kind: mesh, dims: [4, 2], holes: ["0", "5-6"], nodes_per_vertex: 2}
nodes: "n[1-10]"
)");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().VertexOf(0), 1u);
  EXPECT_EQ((*machine)->topology().VertexOf(9), 7u);
}

TEST(MachineFileTest, CoordinatesNameNodesAndHoles) {
  const auto folder =
      std::filesystem::temp_directory_path() / "coolspan_coordinates";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "where.txt")
      << "# name x y\nb 1 0\na 0 0\n\nd 1 1 # last\n";
  const auto machine = ParseMachineFile(
      "name: c\ntopology: {kind: mesh, dims: [2, 2]}\ncoordinates: where.txt\n",
      (folder / "m.yaml").string());
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->node_count(), 3u);
  EXPECT_EQ((*machine)->NodeName(0), "a");
  EXPECT_EQ((*machine)->NodeName(2), "d");
  EXPECT_EQ((*machine)->topology().VertexOf(2), 3u);
}

struct BadFile {
  const char* what;
  const char* text;
  const char* place;  // "m.yaml:line:column"
  const char* message;
};
void PrintTo(const BadFile& file, std::ostream* out) { *out << file.what; }

class BadMachineFileTest : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadMachineFileTest, ErrorHasPositionAndMessage) {
  const std::string error = ErrorOf(GetParam().text);
  EXPECT_EQ(error.find(GetParam().place), 0u) << error;
  EXPECT_THAT(error, HasSubstr(GetParam().message));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMachineFileTest,
    ::testing::Values(
        BadFile{"empty", "", "m.yaml:1:1", "empty"},
        BadFile{"a list", "[1, 2]", "m.yaml:1:1",
                "(expected a map of options)"},
        BadFile{"not YAML", "name: [1, 2\nx: {", "m.yaml:", "not valid YAML"},
        BadFile{"a byte that YAML's message repeats", "name: \"\\\x0b\"\n",
                "m.yaml:1:", "character: \\x0b"},
        BadFile{"unknown key",
                "name: x\ntopolgy: {kind: mesh, dims: [4]}\nnodes: n[1-4]\n",
                "m.yaml:2:1", "did you mean \"topology\"?"},
        BadFile{"unknown key in a group",
                "name: x\ntopology: {kind: mesh, dmis: [4]}\nnodes: n[1-4]\n",
                "m.yaml:2:24",
                "unknown key \"dmis\" in topology; did you mean \"dims\"?"},
        BadFile{"key twice", "name: x\nname: y\n", "m.yaml:2:1",
                "name: specified more than once"},
        BadFile{"no topology", "name: x\nnodes: n[1-4]\n", "m.yaml:1:1",
                "topology: missing"},
        BadFile{"null",
                "name:\ntopology: {kind: mesh, dims: [4]}\nnodes: n[1-4]\n",
                "m.yaml:1:1: ", "name: no value"},
        BadFile{"unknown kind",
                "name: x\ntopology: {kind: hypercube}\nnodes: n[1-4]\n",
                "m.yaml:2:18",
                "topology.kind: invalid value \"hypercube\" (expected one of "
                "mesh, fat-tree, blocks, dragonfly, graph, hops)"},
        BadFile{
            "option of another kind",
            "name: x\ntopology: {kind: mesh, edges: e.txt}\nnodes: n[1-4]\n",
            "m.yaml:2:31",
            "topology.edges: not an option of kind mesh (expected one of "
            "topology.dims, "},
        BadFile{"extent 0",
                "name: x\ntopology: {kind: mesh, dims: [4, 0]}\nnodes: n\n",
                "m.yaml:2:34", "integers from 1"},
        BadFile{"extent in words",
                "name: x\ntopology: {kind: mesh, dims: [4, many]}\nnodes: n\n",
                "m.yaml:2:34", "\"many\""},
        BadFile{"quoted number",
                "name: x\ntopology: {kind: mesh, dims: [4, \"2\"]}\nnodes: n\n",
                "m.yaml:2:34", "a list of integers"},
        BadFile{"extent with a fraction",
                "name: x\ntopology: {kind: mesh, dims: [4.5]}\nnodes: n\n",
                "m.yaml:2:31", "a list of integers"},
        BadFile{"seven dimensions",
                "name: x\ntopology: {kind: mesh, dims: "
                "[1,1,1,1,1,1,1]}\nnodes: n\n",
                "m.yaml:2:30", "one to six"},
        BadFile{"too large",
                "name: x\ntopology: {kind: mesh, dims: [4000000, "
                "4000000]}\nnodes: n\n",
                "m.yaml:2:30", "(expected at most 4194304)"},
        BadFile{"wrap too short",
                "name: x\ntopology: {kind: mesh, dims: [4, 2], wrap: "
                "[true]}\nnodes: n[1-8]\n",
                "m.yaml:2:44", "one per dimension"},
        BadFile{"wrap no flag",
                "name: x\ntopology: {kind: mesh, dims: [4], wrap: [1]}\nnodes: "
                "n[1-4]\n",
                "m.yaml:2:42", "true or false"},
        BadFile{"too few names",
                "name: x\ntopology: {kind: mesh, dims: [4, 2]}\nnodes: "
                "\"n[1-7]\"\n",
                "m.yaml:3:8", "7 names, 8 nodes in the topology"},
        BadFile{"a node twice",
                "name: x\ntopology: {kind: mesh, dims: [4]}\nnodes: "
                "\"n[1-3],n2\"\n",
                "m.yaml:3:8", "\"n2\": specified more than once"},
        BadFile{"a billion nodes",
                "name: x\ntopology: {kind: mesh, dims: [4]}\nnodes: "
                "\"n[1-1000000000]\"\n",
                "m.yaml:3:8", "nodes: "},
        BadFile{"ten million names",
                "name: x\ntopology: {kind: mesh, dims: [4]}\nnodes: "
                "\"n[1-10000000]\"\n",
                "m.yaml:3:8", "more than 1000000 names (expected at most"},
        BadFile{
            "broken hostlist",
            "name: x\ntopology: {kind: mesh, dims: [4]}\nnodes: \"n[1-4\"\n",
            "m.yaml:3:8", "nodes: "},
        BadFile{"no names", "name: x\ntopology: {kind: mesh, dims: [4]}\n",
                "m.yaml:2:", "nodes: missing"},
        BadFile{"hole outside",
                "name: x\ntopology: {kind: mesh, dims: [4], holes: "
                "[\"4\"]}\nnodes: n[1-3]\n",
                "m.yaml:2:42", "a vertex from 0 to 3"},
        BadFile{"hole twice",
                "name: x\ntopology: {kind: mesh, dims: [4], holes: [\"1\", "
                "\"1\"]}\nnodes: n[1-3]\n",
                "m.yaml:2:42", "vertex 1 is specified more than once"},
        BadFile{"negative watts",
                "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: "
                "n[1-2]\nnode_types:\n"
                "  - {name: s, nodes: n1, idle_w: -5, compute_w: 1, "
                "communicate_w: 1}\n",
                "m.yaml:5:34",
                "idle_w: invalid value \"-5\" (expected a number from 0 to "
                "1000000000)"},
        BadFile{
            "more idle watts than a node can draw",
            "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: "
            "n[1-2]\nnode_types:\n"
            "  - {name: s, nodes: n1, idle_w: 1.7e308, compute_w: 1, "
            "communicate_w: 1}\n",
            "m.yaml:5:34",
            "idle_w: invalid value \"1.7e308\" (expected a number from 0 to"},
        BadFile{
            "more computing watts than a node can draw",
            "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: "
            "n[1-2]\nnode_types:\n"
            "  - {name: s, nodes: n1, idle_w: 5, compute_w: 1.1e9, "
            "communicate_w: 1}\n",
            "m.yaml:5:48",
            "compute_w: invalid value \"1.1e9\" (expected a number from 0 to"},
        BadFile{"more communicating watts than a node can draw",
                "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: "
                "n[1-2]\nnode_types:\n"
                "  - {name: s, nodes: n1, idle_w: 5, compute_w: 1, "
                "communicate_w: 3e300}\n",
                "m.yaml:5:66",
                "communicate_w: invalid value \"3e300\" (expected a number "
                "from 0 to"},
        BadFile{"type of an unknown node",
                "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: "
                "n[1-2]\nnode_types:\n"
                "  - {name: s, nodes: n9, idle_w: 5, compute_w: 1, "
                "communicate_w: 1}\n",
                "m.yaml:5:22", "n9"},
        BadFile{"two types for a node",
                "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: "
                "n[1-2]\nnode_types:\n"
                "  - {name: s, nodes: \"n[1-2]\", idle_w: 5, compute_w: 1, "
                "communicate_w: 1}\n"
                "  - {name: t, nodes: n2, idle_w: 5, compute_w: 1, "
                "communicate_w: 1}\n",
                "m.yaml:6:22", "node n2 already has a type"},
        BadFile{"cop of two",
                "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: n[1-2]\n"
                "thermal: {heat_distribution: D, supply_c: 15, redline_c: 30, "
                "cop: [1, 2]}\n",
                "m.yaml:4:67", "c2, c1 and c0"},
        BadFile{
            "thermal in words",
            "name: x\ntopology: {kind: mesh, dims: [2]}\nnodes: n[1-2]\n"
            "thermal: {heat_distribution: D, supply_c: cool, redline_c: 30}\n",
            "m.yaml:4:43", "supply_c: invalid value \"cool\""},
        BadFile{"two documents", "name: x\n---\nname: y\n", "m.yaml:2:1",
                "second YAML document"},
        BadFile{"no YAML from its first character", ",", "m.yaml:1:1",
                "unexpected character"},
        BadFile{"no YAML at its end", "name: x\n...\n,", "m.yaml:3:1", ""},
        BadFile{"a key that is a list", "[a]: x\n", "m.yaml:1:1",
                "key is a list (expected the name of an option)"}));

TEST(MachineFileTest, NoFile) {
  const auto machine = LoadMachineFile("/nonexistent/m.yaml");
  EXPECT_TRUE(absl::IsNotFound(machine.status()));
  EXPECT_TRUE(absl::IsInvalidArgument(LoadMachineFile("/").status()));
}

}  // namespace
}  // namespace coolspan
