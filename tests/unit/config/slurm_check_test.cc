// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/slurm_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "setup/slurm_plugin_folder.h"
#include "unit/tls/test_authority.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A site: folders of plugins, slurm.conf, coolspan.conf and a machine file.
class SlurmCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("coolspan-slurm-check-") + info->name());
    fs::remove_all(folder_);
    for (const char* folder : {"named", "dropin", "stock"}) {
      fs::create_directories(folder_ / folder);
    }
    for (const char* file :
         {"named/select_coolspan.so", "named/libcoolspan_client.so",
          "dropin/libcoolspan_client.so", "stock/select_cons_tres.so",
          "stock/select_linear.so"}) {
      Write(file, "");
    }
    Write("dropin/select_cons_tres.so", "ELF %s/libcoolspan_client.so");
    WriteMachine("n[1-8]");
    Write("coolspan.conf", "Endpoints=unix:///c\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) { return folder_ / name; }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  void WriteMachine(const std::string& nodes) {
    Write("m.yaml", "name: m\ntopology: {kind: mesh, dims: [8]}\nnodes: \"" +
                        nodes + "\"\n");
  }
  std::string Folders(const std::string& first) {
    return Path(first) + ":" + Path("stock");
  }
  // slurm.conf of the named plugin, four lines, and these lines.
  SlurmCheck Check(const std::string& lines, std::vector<std::string> files = {
                                                 "m.yaml", "coolspan.conf"}) {
    return CheckText("ClusterName=c\nSelectType=select/coolspan\nPluginDir=" +
                         Folders("named") + "\nNodeName=n[1-8]\n" + lines,
                     std::move(files));
  }
  SlurmCheck CheckText(const std::string& text,
                       const std::vector<std::string>& files = {
                           "m.yaml", "coolspan.conf"}) {
    Write("slurm.conf", text);
    std::vector<CheckedFile> checked;
    for (const std::string& file : files) {
      auto valid = CheckConfigFile(Path(file));
      EXPECT_TRUE(valid.ok()) << valid.status();
      if (valid.ok()) checked.push_back(*std::move(valid));
    }
    return CheckSlurm(Path("slurm.conf"), checked);
  }

  fs::path folder_;
};

TEST_F(SlurmCheckTest, ASiteWithoutFindings) {
  const SlurmCheck check =
      Check("PartitionName=p Nodes=ALL OverSubscribe=FORCE:1\n");
  EXPECT_THAT(check.errors, IsEmpty());
  EXPECT_THAT(check.warnings, IsEmpty());
  EXPECT_EQ(check.nodes, 8U);
  EXPECT_EQ(check.plugin, "named");
  EXPECT_EQ(check.select_type, "select/coolspan");
  ASSERT_EQ(check.comparisons.size(), 1U);
  EXPECT_EQ(check.comparisons[0].machine_nodes, 8U);
  EXPECT_EQ(check.comparisons[0].missing_in_machine, "");
  EXPECT_EQ(check.comparisons[0].missing_in_slurm, "");
}

TEST_F(SlurmCheckTest, NodesOfOneSideOnlyAreWarnings) {
  WriteMachine("n[3-10]");
  const SlurmCheck check = Check("NodeName=x1\nNodeName=f1 State=FUTURE\n");
  EXPECT_THAT(check.errors, IsEmpty());
  EXPECT_THAT(check.warnings,
              ElementsAre(Path("slurm.conf") + ": 3 nodes (n[1-2],x1) not in " +
                              Path("m.yaml") + ": Coolspan never chooses them",
                          Path("m.yaml") + ": 2 nodes (n[9-10]) not in " +
                              Path("slurm.conf") + ": they never run a job"));
  EXPECT_EQ(check.comparisons.at(0).missing_in_machine, "n[1-2],x1");
  EXPECT_EQ(check.comparisons.at(0).missing_in_slurm, "n[9-10]");
}

TEST_F(SlurmCheckTest, NoCommonNodeIsAnError) {
  WriteMachine("node[1-8]");
  EXPECT_THAT(Check("").errors,
              ElementsAre(Path("slurm.conf") + ": none of its nodes is in " +
                          Path("m.yaml") +
                          " (expected the same names: n[1-8] here, node[1-8] "
                          "there)"));
}

TEST_F(SlurmCheckTest, TheMachineOfTheDaemonFileIsComparedOnce) {
  Write("d.yaml", "machine: m.yaml\nlisten: [\"unix:///c\"]\n");
  const SlurmCheck check = Check("", {"m.yaml", "d.yaml", "coolspan.conf"});
  EXPECT_EQ(check.comparisons.size(), 1U);
  EXPECT_THAT(check.warnings, IsEmpty());
  EXPECT_EQ(Check("", {"d.yaml", "coolspan.conf"}).comparisons.size(), 1U);
}

TEST_F(SlurmCheckTest, WithoutAMachineNothingIsCompared) {
  const SlurmCheck check = Check("", {"coolspan.conf"});
  EXPECT_THAT(check.errors, IsEmpty());
  EXPECT_THAT(check.warnings, ElementsAre(HasSubstr("nodes not compared")));
}

TEST_F(SlurmCheckTest, AnInvalidSlurmConfIsTheOnlyError) {
  const SlurmCheck check = Check("NodeName=n1\n");
  EXPECT_THAT(check.errors, ElementsAre(StartsWith(Path("slurm.conf") +
                                                   ":5:10: NodeName: ")));
  EXPECT_THAT(check.warnings, IsEmpty());
  EXPECT_THAT(CheckText("ClusterName=c\nSelectType=select/linear\n").errors,
              Contains(Path("slurm.conf") +
                       ": no nodes (expected lines NodeName=LIST)"));
}

TEST_F(SlurmCheckTest, ConditionsUnderWhichJobsAreLeftToSlurm) {
  const SlurmCheck check = Check(
      "SelectTypeParameters=CR_Core\nDefCpuPerGPU=4\n"
      "PartitionName=a OverSubscribe=FORCE\n"
      "PartitionName=b OverSubscribe=YES:2\n"
      "PartitionName=c LLN=YES\n"
      "PartitionName=d LLN=YES OverSubscribe=EXCLUSIVE\n");
  const std::string path = Path("slurm.conf");
  EXPECT_THAT(
      check.warnings,
      ElementsAre(
          path + ":7: OverSubscribe=FORCE: all jobs in partition a are left to "
                 "Slurm",
          path + ":8: OverSubscribe=YES:2: jobs with --oversubscribe in "
                 "partition b are left to Slurm",
          path + ":9: LLN=YES: jobs that share nodes in partition c are left "
                 "to Slurm (HonorWeight=no in coolspan.conf overrides it)",
          path +
              ":6: DefCpuPerGPU=4: jobs that request GPUs are left to Slurm"));
  EXPECT_THAT(
      Check("SelectTypeParameters=CR_Core\nDefMemPerGPU=100\n"
            "PartitionName=a OverSubscribe=YES:1 DefMemPerGPU=5\n"
            "PartitionName=b OverSubscribe=FORCE:01 DefCpuPerGPU=2\n")
          .warnings,
      ElementsAre(
          path + ":6: DefMemPerGPU=100: jobs that request GPUs are left to "
                 "Slurm",
          path + ":7: DefMemPerGPU=5: jobs in partition a that request GPUs "
                 "are left to Slurm",
          path + ":8: DefCpuPerGPU=2: jobs in partition b that request GPUs "
                 "are left to Slurm"));
  Write("coolspan.conf", "Endpoints=unix:///c\nHonorWeight=no\n");
  EXPECT_THAT(Check("SelectTypeParameters=CR_Core,CR_LLN\nDefCpuPerGPU=0\n"
                    "PartitionName=c LLN=YES\n")
                  .warnings,
              IsEmpty());
  Write("coolspan.conf", "Endpoints=unix:///c\n");
  EXPECT_THAT(Check("SelectTypeParameters=CR_Core,cr_lln\n"
                    "PartitionName=c LLN=YES\n")
                  .warnings,
              ElementsAre(StartsWith(path + ":5: CR_LLN: ")));
}

TEST_F(SlurmCheckTest, ADaemonWithTlsNeedsAClientWithTls) {
  const TestAuthority authority(folder_.string(), "ca");
  authority.Issue("d");
  authority.Issue("slurm1");
  Write("d.yaml",
        "machine: m.yaml\nlisten: [\"ipv4:127.0.0.1:7070\"]\n"
        "tls: {cert: d.crt, key: d.key, client_ca: ca.crt}\n");
  const auto errors = [this](const std::string& lines) {
    Write("coolspan.conf", "Endpoints=ipv4:127.0.0.1:7070\n" + lines);
    return Check("", {"d.yaml", "coolspan.conf"}).errors;
  };
  const std::string folder = folder_.string() + "/";
  EXPECT_THAT(errors(""), ElementsAre(HasSubstr(
                              "coolspan.conf:1: Endpoints=ipv4:127.0.0.1:7070: "
                              "on TCP without a certificate")));
  EXPECT_THAT(errors("TlsCert=" + folder + "slurm1.crt\nTlsKey=" + folder +
                     "slurm1.key\nTlsCa=" + folder + "ca.crt\n"),
              IsEmpty());
}

// slurmctld would refuse them at its next reconfigure.
TEST_F(SlurmCheckTest, TheCertificatesOfThePluginAreRead) {
  const TestAuthority authority(folder_.string(), "ca");
  authority.Issue("slurm1");
  authority.Issue("other");
  const std::string folder = folder_.string() + "/";
  const auto why = [&](const std::string& cert, const std::string& key) {
    Write("coolspan.conf", "Endpoints=unix:///c\nTlsCert=" + folder + cert +
                               "\nTlsKey=" + folder + key +
                               "\nTlsCa=" + folder + "ca.crt\n");
    return std::string(
        CheckConfigFile(Path("coolspan.conf")).status().message());
  };
  EXPECT_EQ(why("slurm1.crt", "slurm1.key"), "");
  EXPECT_THAT(why("none.crt", "slurm1.key"),
              AllOf(HasSubstr("coolspan.conf:2: TlsCert: "),
                    HasSubstr("none.crt: No such file")));
  EXPECT_THAT(why("slurm1.crt", "other.key"),
              AllOf(HasSubstr("coolspan.conf:3: TlsKey: "),
                    HasSubstr("not the key of ")));
}

TEST_F(SlurmCheckTest, SettingsOfThePluginThatMissTheirAim) {
  Write("coolspan.conf",
        "Endpoints=ipv4:ctl:7070\nLeavePartitions=p,debug\nNodePower=yes\n");
  Write("d.yaml", "machine: m.yaml\nlisten: [\"unix:///c\"]\n");
  const SlurmCheck check =
      Check("PartitionName=p\n", {"d.yaml", "coolspan.conf"});
  const std::string path = Path("coolspan.conf");
  EXPECT_THAT(check.errors, IsEmpty());
  EXPECT_THAT(
      check.warnings,
      ElementsAre(path + ":2: LeavePartitions: partition debug is not in " +
                      Path("slurm.conf"),
                  path + ":1: Endpoints=ipv4:ctl:7070: the daemon of " +
                      Path("d.yaml") + " listens on unix:///c",
                  path + ":3: NodePower=yes: no AcctGatherEnergyType in " +
                      Path("slurm.conf") + ": node power is not measured"));
  Write("d.yaml",
        "machine: m.yaml\nlisten: [\"ipv4:0.0.0.0:7070\"]\n"
        "access: {plaintext_tcp: any-network}\n");
  EXPECT_THAT(Check("PartitionName=p\nPartitionName=debug\n"
                    "AcctGatherEnergyType=acct_gather_energy/ipmi\n",
                    {"d.yaml", "coolspan.conf"})
                  .warnings,
              IsEmpty());
}

TEST_F(SlurmCheckTest, TheTopologyPluginIsOverridden) {
  EXPECT_THAT(Check("TopologyPlugin=topology/tree\n").warnings,
              ElementsAre(Path("slurm.conf") +
                          ":5: TopologyPlugin=topology/tree: overridden by the "
                          "mesh of " +
                          Path("m.yaml")));
  Write("topology.conf", "SwitchName=s Nodes=n[1-8]\n");
  Write("m.yaml",
        "name: m\ntopology: {kind: fat-tree, slurm_topology: topology.conf}\n");
  EXPECT_THAT(Check("TopologyPlugin=topology/tree\n").warnings, IsEmpty());
  EXPECT_THAT(Check("TopologyPlugin=topology/flat\n").warnings, IsEmpty());
}

TEST_F(SlurmCheckTest, BlocksNeedAMachineFileWithBlocks) {
  EXPECT_THAT(
      Check("TopologyPlugin=topology/block\n").warnings,
      ElementsAre(Path("slurm.conf") +
                  ":5: TopologyPlugin=topology/block: jobs are placed by Slurm "
                  "alone, because " +
                  Path("m.yaml") +
                  " has no blocks (expected topology.kind: blocks)"));
  Write("topology.conf", "BlockName=s Nodes=n[1-8]\n");
  Write("m.yaml",
        "name: m\ntopology: {kind: blocks, slurm_topology: topology.conf}\n");
  EXPECT_THAT(Check("TopologyPlugin=topology/block\n").warnings, IsEmpty());
}

TEST_F(SlurmCheckTest, TopologyYamlTakesThePlaceOfTheTopologyPlugin) {
  Write("topology.yaml",
        "- topology: wires\n  tree: {switches: [{switch: s, nodes: "
        "\"n[1-8]\"}]}\n"
        "- topology: racks\n  block: {blocks: [{block: b, nodes: "
        "\"n[1-8]\"}]}\n"
        "- topology: rest\n  flat: true\n");
  EXPECT_THAT(
      Check("TopologyPlugin=topology/flat\n").warnings,
      ElementsAre(Path("topology.yaml") +
                      ":1: topology wires: overridden by the mesh of " +
                      Path("m.yaml"),
                  Path("topology.yaml") +
                      ":3: topology racks: jobs are placed by Slurm alone, "
                      "because " +
                      Path("m.yaml") +
                      " has no blocks (expected topology.kind: blocks)"));
  Write("topology.yaml", "- 3\n");
  EXPECT_THAT(Check("").warnings,
              ElementsAre(StartsWith(Path("topology.yaml") + ":1:3: ")));
}

TEST_F(SlurmCheckTest, TheFolderOfTheNamedPlugin) {
  const auto check = [](const std::string& folders,
                        const std::string& underlying = "cons_tres") {
    return CheckPluginFolders("select/coolspan", folders, underlying);
  };
  EXPECT_EQ(check(Folders("named")).error, "");
  EXPECT_EQ(check(Folders("named"), "linear").error, "");
  EXPECT_EQ(check(Folders("dropin")).error,
            "PluginDir=" + Folders("dropin") +
                ": select_coolspan.so not found (expected the folder of the "
                "named plugin)");
  EXPECT_THAT(check(Path("named")).error,
              HasSubstr("select_cons_tres.so not found (expected the folder of "
                        "Slurm's plugins as well)"));
  fs::remove(Path("named/libcoolspan_client.so"));
  EXPECT_EQ(check(Folders("named")).error,
            Path("named") +
                ": libcoolspan_client.so not found (expected it beside "
                "select_coolspan.so; copy the folder with cp -rL)");
  EXPECT_EQ(check("").error, "");
  EXPECT_THAT(check("").warning, StartsWith("PluginDir is not set: "));
}

TEST_F(SlurmCheckTest, TheFolderOfTheDropInPlugin) {
  const auto check = [](const std::string& folders,
                        const std::string& underlying = "cons_tres") {
    return CheckPluginFolders("select/cons_tres", folders, underlying);
  };
  EXPECT_EQ(check(Folders("dropin")).plugin, "dropin");
  EXPECT_EQ(check(Folders("dropin")).error, "");
  EXPECT_THAT(check(Path("dropin")).error,
              HasSubstr("Slurm's select_cons_tres.so not found"));
  EXPECT_EQ(check(Folders("dropin"), "linear").error,
            "Underlying=linear: the drop-in plugin replaces select/cons_tres "
            "(expected Underlying=cons_tres, or SelectType=select/coolspan)");
  for (const std::string& folders : {std::string(), Path("stock")}) {
    EXPECT_EQ(check(folders).plugin, "") << folders;
    EXPECT_THAT(check(folders).error,
                StartsWith("SelectType=select/cons_tres is Slurm's own plugin "
                           "(expected "))
        << folders;
  }
  EXPECT_THAT(check(Path("named")).error,
              StartsWith("PluginDir=" + Path("named") +
                         ": select_cons_tres.so not found (expected "));
}

TEST_F(SlurmCheckTest, TheFolderOfTheDropInPluginMustBeFirstAndComplete) {
  const auto check_text = [&](const std::string& folders) {
    return CheckText("ClusterName=c\nSelectType=select/cons_tres\nPluginDir=" +
                     folders + "\nNodeName=n[1-8]\n");
  };
  const std::string path = Path("slurm.conf");
  EXPECT_THAT(check_text(Path("stock") + ":" + Path("dropin")).errors,
              ElementsAre(path + ":3: PluginDir: " + Path("dropin") +
                          " must be before " + Path("stock") +
                          " (expected the folder of the drop-in plugin "
                          "first)"));
  EXPECT_THAT(check_text(Folders("dropin")).errors, IsEmpty());
  EXPECT_THAT(check_text(Folders("dropin")).warnings, IsEmpty());
  EXPECT_THAT(check_text(Folders("dropin")).notes,
              ElementsAre(path + ":3: PluginDir: " + Path("dropin") +
                          " must exist on each host that uses this "
                          "slurm.conf (also configless); it may be empty on "
                          "hosts other than the controller"));
  EXPECT_THAT(check_text(Path("stock")).notes, IsEmpty());
  Write("coolspan.conf", "Endpoints=unix:///c\n\nUnderlying=linear\n");
  EXPECT_THAT(check_text(Folders("dropin")).errors,
              ElementsAre(StartsWith(Path("coolspan.conf") +
                                     ":3: Underlying=linear: the drop-in ")));
  fs::remove(Path("dropin/libcoolspan_client.so"));
  for (const std::string& folders : {Path("dropin"), Folders("dropin")}) {
    EXPECT_THAT(check_text(folders).errors,
                ElementsAre(path + ":3: " + Path("dropin") +
                            ": libcoolspan_client.so not found (expected it "
                            "beside select_cons_tres.so; copy the folder with "
                            "cp -rL)"));
  }
}

TEST_F(SlurmCheckTest, SlurmDoesNotStartWithoutAFolderOfPluginDir) {
  for (const char* select_type :
       {"select/cons_tres", "select/coolspan", "select/linear"}) {
    EXPECT_THAT(CheckText(std::string("SelectType=") + select_type +
                          "\nPluginDir=/nonexist:" + Folders("dropin") +
                          "\nNodeName=n[1-8]\n")
                    .errors,
                ElementsAre(Path("slurm.conf") +
                            ":2: PluginDir: /nonexist does not exist (expected "
                            "existing folders: Slurm does not start)"));
  }
  EXPECT_EQ(
      CheckPluginFolders("select/cons_tres",
                         Folders("dropin") + ":" + Path("m.yaml"), "cons_tres")
          .error,
      "PluginDir: " + Path("m.yaml") +
          " is not a folder (expected existing folders: Slurm does not "
          "start)");
}

TEST_F(SlurmCheckTest, OptionsOfTheSchedulerAreOverridden) {
  EXPECT_THAT(
      Check("SchedulerParameters=defer,Pack_Serial_at_end,"
            "bf_busy_nodes,bf_max_job_test=9\n")
          .warnings,
      ElementsAre(
          Path("slurm.conf") + ":5: SchedulerParameters=pack_serial_at_end: "
                               "overridden for jobs that are not left to Slurm",
          Path("slurm.conf") + ":5: SchedulerParameters=bf_busy_nodes: "
                               "overridden for jobs that are not left to "
                               "Slurm"));
}

TEST_F(SlurmCheckTest, RulesForPartitionsThatDoNotExist) {
  Write("d.yaml",
        "machine: m.yaml\nlisten: [\"unix:///c\"]\nrules:\n"
        "  - {partition: [p, gpu], policy: random}\n"
        "  - {partition: debug, mode: off}\n  - {nodes: 8, policy: random}\n");
  EXPECT_THAT(
      Check("PartitionName=p\n", {"d.yaml", "coolspan.conf"}).warnings,
      ElementsAre(
          Path("d.yaml") + ":4: rules[].partition: partition gpu is not in " +
              Path("slurm.conf"),
          Path("d.yaml") + ":5: rules[].partition: partition debug is not in " +
              Path("slurm.conf")));
}

TEST_F(SlurmCheckTest, OtherSelectPlugins) {
  EXPECT_THAT(CheckPluginFolders("select/linear", "", "cons_tres").error,
              StartsWith("SelectType=select/linear does not use Coolspan "));
  EXPECT_THAT(CheckPluginFolders("", "", "cons_tres").error,
              StartsWith("SelectType is not set (expected select/coolspan"));
  EXPECT_THAT(CheckText("SelectType=select/linear\nNodeName=n[1-8]\n").errors,
              ElementsAre(StartsWith(Path("slurm.conf") + ":1: SelectType=")));
}

}  // namespace
}  // namespace coolspan
