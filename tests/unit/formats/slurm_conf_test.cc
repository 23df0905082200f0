// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/slurm_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "scratch_file.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SlurmConf Read(std::string_view text) {
  const ScratchFile file(text);
  auto conf = ReadSlurmConf(file.path());
  EXPECT_TRUE(conf.ok()) << conf.status();
  return conf.ok() ? *std::move(conf) : SlurmConf{};
}

std::string ErrorOf(std::string_view text) {
  const ScratchFile file(text);
  return file.MessageOf(ReadSlurmConf(file.path()).status());
}

std::vector<std::string> NamesOf(const SlurmConf& conf) {
  std::vector<std::string> names;
  for (const SlurmNode& node : conf.nodes) names.push_back(node.name);
  return names;
}

TEST(SlurmConfTest, KeysInAnyCaseContinuedLinesAndComments) {
  const SlurmConf conf = Read(
      "# a cluster\n"
      "selecttype = select/coolspan\n"
      "PluginDir=/a:/B # two folders\n"
      "SchedulerParameters=a,\\\n"
      "b,\\  \n"
      "c\n"
      "LaunchParameters+=x\n"
      "NODENAME=n[1-2] Reason=\"bug \\#12, a=b\"\\\n"
      "  cpus=8\n");
  EXPECT_EQ(conf.Setting("selecttype"), "select/coolspan");
  EXPECT_EQ(conf.Setting("plugindir"), "/a:/B");
  EXPECT_EQ(conf.Setting("schedulerparameters"), "a,b,c");
  EXPECT_EQ(conf.Setting("launchparameters"), "x");
  EXPECT_EQ(conf.Setting("topologyplugin", "none"), "none");
  EXPECT_EQ(conf.Where("selecttype"), conf.path + ":2");
  EXPECT_EQ(conf.Where("topologyplugin"), conf.path);
  EXPECT_THAT(NamesOf(conf), ElementsAre("n1", "n2"));
  EXPECT_EQ(conf.nodes[1].cpus, 8U);
}

TEST(SlurmConfTest, TheLastSettingOfAKeyApplies) {
  const SlurmConf conf = Read("ClusterName=a\nClusterName=b\n");
  EXPECT_EQ(conf.Setting("clustername"), "b");
  EXPECT_EQ(conf.Where("clustername"), conf.path + ":2");
}

TEST(SlurmConfTest, DefaultsApplyToTheNodesThatFollow) {
  const SlurmConf conf = Read(
      "NodeName=a\n"
      "NodeName=DEFAULT CPUs=16 Feature=old\n"
      "NodeName=b\n"
      "NodeName=default Features=new,fast\n"
      "NodeName=c CPUs=4\n"
      "NodeName=d State=FUTURE\n");
  ASSERT_THAT(NamesOf(conf), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(conf.nodes[0].cpus, 1U);
  EXPECT_EQ(conf.nodes[0].features, "");
  EXPECT_EQ(conf.nodes[1].cpus, 16U);
  EXPECT_EQ(conf.nodes[1].features, "old");
  EXPECT_EQ(conf.nodes[2].cpus, 4U);
  EXPECT_EQ(conf.nodes[2].features, "new,fast");
  EXPECT_FALSE(conf.nodes[2].is_future);
  EXPECT_TRUE(conf.nodes[3].is_future);
}

TEST(SlurmConfTest, CpusOfSocketsCoresAndThreads) {
  const SlurmConf conf = Read(
      "NodeName=a Sockets=2 CoresPerSocket=12 ThreadsPerCore=2\n"
      "NodeName=b Boards=2 SocketsPerBoard=2 CoresPerSocket=3\n"
      "NodeName=c Procs=5 CoresPerSocket=12\n"
      "NodeName=d Sockets=1000000 CoresPerSocket=1000000 "
      "ThreadsPerCore=1000000\n");
  ASSERT_EQ(conf.nodes.size(), 4U);
  EXPECT_EQ(conf.nodes[0].cpus, 48U);
  EXPECT_EQ(conf.nodes[1].cpus, 12U);
  EXPECT_EQ(conf.nodes[2].cpus, 5U);
  EXPECT_EQ(conf.nodes[3].cpus, 1U << 20) << "at most";
}

TEST(SlurmConfTest, Partitions) {
  const SlurmConf conf = Read(
      "PartitionName=a Nodes=ALL\n"
      "PartitionName=DEFAULT LLN=YES Shared=force:4\n"
      "PartitionName=b Nodes=ALL\n"
      "PartitionName=c Nodes=ALL LLN=no OverSubscribe=Exclusive\n");
  ASSERT_EQ(conf.partitions.size(), 3U);
  EXPECT_EQ(conf.partitions[0].name, "a");
  EXPECT_FALSE(conf.partitions[0].prefers_least_loaded);
  EXPECT_EQ(conf.partitions[0].over_subscribe, "NO");
  EXPECT_EQ(conf.partitions[1].where, conf.path + ":3");
  EXPECT_TRUE(conf.partitions[1].prefers_least_loaded);
  EXPECT_EQ(conf.partitions[1].over_subscribe, "FORCE:4");
  EXPECT_FALSE(conf.partitions[2].prefers_least_loaded);
  EXPECT_EQ(conf.partitions[2].over_subscribe, "EXCLUSIVE");
}

class SlurmConfIncludeTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("coolspan-include-") + info->name());
    std::filesystem::create_directories(folder_ / "nodes");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(SlurmConfIncludeTest, FilesAreRelativeToTheIncludingFile) {
  const std::string path = Write("slurm.conf",
                                 "ClusterName=Mini\n"
                                 "INCLUDE   nodes/%c.conf  # one\n"
                                 "Include " +
                                     (folder_ / "more.conf").string() +
                                     "\n"
                                     "NodeName=c\n");
  Write("nodes/mini.conf", "Include deeper.conf\nNodeName=b\n");
  Write("nodes/deeper.conf", "NodeName=a\n");
  const std::string more = Write("more.conf", "\nSelectType=select/linear\n");
  const auto conf = ReadSlurmConf(path);
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_THAT(NamesOf(*conf), ElementsAre("a", "b", "c"));
  EXPECT_EQ(conf->Where("selecttype"), more + ":2");
}

TEST_F(SlurmConfIncludeTest, AFileThatIncludesItselfEnds) {
  const std::string path =
      Write("slurm.conf", "Include slurm.conf\nInclude slurm.conf\n");
  EXPECT_EQ(ReadSlurmConf(path).status().message(),
            path +
                ":1:9: Include: too many files (expected at most 1000, 16 "
                "deep)");
}

TEST_F(SlurmConfIncludeTest, ErrorsNameTheIncludedFile) {
  const std::string path = Write("slurm.conf", "Include nodes/a.conf\n");
  EXPECT_EQ(ReadSlurmConf(path).status().message(),
            path + ":1:9: Include: " + (folder_ / "nodes/a.conf").string() +
                " is not a file (expected a file of settings)");
  const std::string included = Write("nodes/a.conf", "\nNodeName=n[1-\n");
  EXPECT_THAT(std::string(ReadSlurmConf(path).status().message()),
              testing::StartsWith(included + ":2:10: NodeName: column "));
}

TEST(SlurmConfTest, ErrorsHaveTheirPlace) {
  const std::map<std::string, std::string> errors = {
      {"SelectType\n",
       ":1:1: \"SelectType\" is not a setting (expected KEY=VALUE)"},
      {"ClusterName=a b\n",
       ":1:15: \"b\" is not a setting (expected KEY=VALUE)"},
      {"Include a b\n", ":1:11: \"b\" is not a setting (expected KEY=VALUE)"},
      {"NodeName=n1 Reason=\"x\n",
       ":1:20: unclosed '\"' (expected '\"' after the value)"},
      {"NodeName=n[1-2]\n\nNodeName=n2\n",
       ":3:10: NodeName: node \"n2\" specified more than once"},
      {"NodeName=n1 CPUs=many\n",
       ":1:18: CPUs: \"many\" is not valid (expected 0 to 1048576)"},
      {"Include %c.conf\n",
       ":1:9: Include: %c before ClusterName (expected ClusterName in a line "
       "before)"}};
  for (const auto& [text, error] : errors) EXPECT_EQ(ErrorOf(text), error);
  EXPECT_THAT(ErrorOf("NodeName=n[1-9999999]\n"), HasSubstr("NodeName: "));
}

TEST(SlurmConfTest, AMissingFile) {
  EXPECT_THAT(
      std::string(ReadSlurmConf("/nonexistent/slurm.conf").status().message()),
      testing::StartsWith("/nonexistent/slurm.conf: "));
}

}  // namespace
}  // namespace coolspan
