// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class MachineCommandTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    slurm_conf_ = WriteFile("slurm.conf",
                            "ClusterName=mini\n"
                            "NodeName=n[1-4] CPUs=8 Feature=a,b\n"
                            "NodeName=g[1-2] CPUs=64\n"
                            "NodeName=f[1-2] State=FUTURE\n"
                            "NodeName=n[5-6] CPUs=8 Feature=a,b\n");
  }

  CliResult FromConf(std::vector<std::string> more) {
    more.insert(more.begin(),
                {"machine", "--from-slurm", "--slurm-conf", slurm_conf_});
    return RunCli(std::move(more));
  }
  std::string ReadFile(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // check-config's description of a machine file with this text.
  std::string SummaryOf(const std::string& text) {
    const CliResult checked =
        RunCli({"check-config", WriteFile("checked.yaml", text), "--json"});
    EXPECT_EQ(checked.exit, Exit::kSuccess) << checked.err;
    return checked.Json().at("files").at(0).value("summary", "");
  }

  std::string slurm_conf_;
};

TEST_F(MachineCommandTest, WithoutSwitchesALineIsAssumed) {
  const CliResult result = FromConf({});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_EQ(result.err,
            "warning: no switches or blocks in " +
                (folder_ / "topology.conf").string() +
                ": a line of 8 nodes is assumed (expected the network of the "
                "machine as topology, see coolspan-machine(5))\n");
  EXPECT_THAT(result.out, HasSubstr("# ASSUMED: "));
  EXPECT_THAT(result.out, HasSubstr("topology: {kind: mesh, dims: [8]}\n"
                                    "nodes: \"n[1-4],g[1-2],n[5-6]\"\n"));
  EXPECT_EQ(SummaryOf(result.out), "machine mini, 8 nodes, mesh 8");
}

TEST_F(MachineCommandTest, NodesWithEqualCpusAndFeaturesAreAType) {
  const CliResult result = FromConf({});
  EXPECT_THAT(result.out, HasSubstr("nodes: \"n[1-6]\", idle_w: 0"));
  EXPECT_THAT(result.out, HasSubstr("}  # 8 CPUs, features a,b\n"));
  EXPECT_THAT(result.out, HasSubstr("nodes: \"g[1-2]\", idle_w: 0"));
  EXPECT_THAT(result.out, HasSubstr("}  # 64 CPUs\n"));
  // As the comment in the file says.
  const std::string filled =
      std::regex_replace(result.out, std::regex("#(node_types:|  - )"), "$1");
  EXPECT_THAT(filled, HasSubstr("\nnode_types:\n  - {name: type1"));
  EXPECT_EQ(SummaryOf(filled), "machine mini, 8 nodes, mesh 8");
}

TEST_F(MachineCommandTest, SwitchesAreAFatTree) {
  const std::string switches = WriteFile("topology.conf",
                                         "SwitchName=a Nodes=n[1-4]\n"
                                         "SwitchName=b Nodes=n5,g[1-2],x1\n"
                                         "SwitchName=r Switches=a,b\n");
  const CliResult result = FromConf({"--json"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  const auto json = result.Json();
  EXPECT_EQ(json.at("machine"), "mini");
  EXPECT_EQ(json.at("nodes"), 8);
  EXPECT_EQ(json.at("topology"), "fat-tree");
  EXPECT_EQ(json.at("slurm_topology"), switches);
  EXPECT_TRUE(json.at("out").is_null());
  EXPECT_EQ(json.at("warnings"),
            nlohmann::json::array(
                {"1 node (n6) not in " + switches + ": not in the machine file",
                 "1 node (x1) of " + switches +
                     " not in Slurm: they never run a job"}));
  EXPECT_EQ(SummaryOf(json.at("text")), "machine mini, 8 nodes, fat-tree");
}

TEST_F(MachineCommandTest, BlocksAreBlocks) {
  WriteFile("topology.conf",
            "BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-6],g[1-2]\n"
            "BlockSizes=4\n");
  const CliResult result = FromConf({});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out, HasSubstr("topology: {kind: blocks, "));
  EXPECT_EQ(SummaryOf(result.out), "machine mini, 8 nodes, blocks");
}

TEST_F(MachineCommandTest, TopologyYamlPrecedesTopologyConf) {
  WriteFile("topology.conf", "SwitchName=a Nodes=n[1-4]\n");
  const std::string yaml =
      WriteFile("topology.yaml",
                "- topology: flat\n  flat: true\n"
                "- topology: racks\n  cluster_default: true\n"
                "  block: {blocks: [{block: a, nodes: \"n[1-6],g[1-2]\"}]}\n");
  const auto json = FromConf({"--json"}).Json();
  EXPECT_EQ(json.at("topology"), "blocks");
  EXPECT_EQ(json.at("slurm_topology"), yaml);
  EXPECT_THAT(json.at("text").get<std::string>(),
              HasSubstr("slurm_topology_name: \"racks\"}"));
  EXPECT_EQ(json.at("warnings"),
            nlohmann::json::array(
                {yaml + " has 2 topologies: the machine file is of \"racks\", "
                        "the cluster's default"}));
}

TEST_F(MachineCommandTest, ATopologyConfWithoutSwitchesIsNotUsed) {
  WriteFile("topology.conf", "# no switches\n");
  const CliResult result = FromConf({});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out, HasSubstr("kind: mesh"));
}

TEST_F(MachineCommandTest, ATopologyConfThatIsGivenMustBeValid) {
  const std::string empty = WriteFile("empty.conf", "");
  const CliResult result = FromConf({"--topology-conf", empty});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, StartsWith(empty + ":1:1: no switch (expected "));
  EXPECT_EQ(FromConf({"--topology-conf", folder_ / "none"}).exit,
            Exit::kBadInput);
}

TEST_F(MachineCommandTest, AFileIsOverwrittenOnlyByForce) {
  const std::string out = WriteFile("out.yaml", "mine\n");
  const CliResult refused = FromConf({"--out", out});
  EXPECT_EQ(refused.exit, Exit::kBadInput);
  EXPECT_EQ(refused.err,
            out +
                ": exists (expected a new file, or --force to overwrite "
                "it)\n");
  EXPECT_EQ(ReadFile(out), "mine\n");
  const CliResult forced = FromConf({"--out", out, "--force"});
  EXPECT_EQ(forced.exit, Exit::kSuccess) << forced.err;
  EXPECT_EQ(forced.out, out + ": machine mini, 8 nodes, mesh\n");
  EXPECT_EQ(RunCli({"check-config", out}).exit, Exit::kSuccess);
  const std::string fresh = folder_ / "new.yaml";
  EXPECT_EQ(FromConf({"--out", fresh}).exit, Exit::kSuccess);
  EXPECT_EQ(ReadFile(fresh), ReadFile(out));
  EXPECT_EQ(FromConf({"--out", folder_ / "none" / "m.yaml"}).exit,
            Exit::kBadInput);
}

TEST_F(MachineCommandTest, NodesOfScontrol) {
  const std::string path = std::getenv("PATH");
  const std::string scontrol = WriteFile(
      "scontrol",
      "#!/bin/sh\ncase \"$*\" in\n"
      "'show config') echo 'ClusterName = big'\n"
      "  echo 'SLURM_CONF = " +
          slurm_conf_ +
          "' ;;\n"
          "'--all --oneliner show nodes') echo 'NodeName=s1 CPUTot=2 OS=a b'\n"
          "  echo 'NodeName=s2 CPUTot=2' ;;\n"
          "*) exit 1 ;;\nesac\n");
  std::filesystem::permissions(scontrol, std::filesystem::perms::owner_all);
  setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  const CliResult listed = RunCli({"machine", "--from-slurm"});
  WriteFile("scontrol", "#!/bin/sh\nexit 1\n");
  const CliResult failed = RunCli({"machine", "--from-slurm"});
  setenv("PATH", folder_.c_str(), 1);
  std::filesystem::remove(scontrol);
  const CliResult absent = RunCli({"machine", "--from-slurm"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(listed.exit, Exit::kSuccess) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("nodes: \"s[1-2]\"\n"));
  EXPECT_EQ(SummaryOf(listed.out), "machine big, 2 nodes, mesh 2");
  EXPECT_EQ(failed.exit, Exit::kBadInput);
  EXPECT_EQ(failed.err,
            "scontrol show config: failed (expected a running slurmctld, or "
            "use --slurm-conf FILE)\n");
  EXPECT_THAT(absent.err,
              StartsWith("scontrol show config: not found (expected Slurm's "
                         "commands in PATH, "));
}

TEST_F(MachineCommandTest, BadUsage) {
  EXPECT_EQ(RunCli({"machine"}).err,
            "coolspan machine: --from-slurm is required (see coolspan machine "
            "--help)\n");
  EXPECT_EQ(FromConf({"--force"}).exit, Exit::kBadInput);
  slurm_conf_ = WriteFile("slurm.conf", "NodeName=f State=FUTURE\n");
  EXPECT_EQ(FromConf({}).err,
            slurm_conf_ + ": no nodes (expected lines NodeName=LIST)\n");
}

}  // namespace
}  // namespace coolspan
