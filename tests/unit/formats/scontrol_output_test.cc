// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/scontrol_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

using testing::HasSubstr;

TEST(ScontrolOutputTest, NodesOfSlurm2205) {
  const auto nodes = ParseScontrolNodes(
      "NodeName=n1 Arch=x86_64 CoresPerSocket=4  CPUAlloc=0 CPUEfctv=4 "
      "CPUTot=4 CPULoad=0.80 AvailableFeatures=(null) ActiveFeatures=(null) "
      "Gres=(null) NodeAddr=127.0.0.1 OS=Linux 6.1 #1 SMP  RealMemory=1000 "
      "State=IDLE Reason=no CPUTot=7 here\n"
      "NodeName=n2 CPUTot=128 AvailableFeatures=a,b \n\n");
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0).name, "n1");
  EXPECT_EQ(nodes->at(0).cpus, 4U);
  EXPECT_EQ(nodes->at(0).features, "");
  EXPECT_EQ(nodes->at(1).name, "n2");
  EXPECT_EQ(nodes->at(1).cpus, 128U);
  EXPECT_EQ(nodes->at(1).features, "a,b");
}

TEST(ScontrolOutputTest, OtherTextIsRefused) {
  for (const char* text :
       {"", "\n", "No nodes in the system\n", "NodeName=n1\n",
        "NodeName=n1 CPUTot=x\n", "NodeName=n[1-2] CPUTot=1\n"}) {
    EXPECT_THAT(std::string(ParseScontrolNodes(text).status().message()),
                testing::StartsWith("scontrol: "))
        << text;
  }
}

TEST(ScontrolOutputTest, Settings) {
  const auto settings = ParseScontrolConfig(
      "Configuration data as of 2026-11-22T22:11:52\n"
      "ClusterName             = mini\n"
      "SLURM_CONF              = /etc/slurm/slurm.conf\n"
      "PrologFlags             = \n"
      "SchedulerParameters     = a=1,b=2\n");
  EXPECT_EQ(settings.at("clustername"), "mini");
  EXPECT_EQ(settings.at("slurm_conf"), "/etc/slurm/slurm.conf");
  EXPECT_EQ(settings.at("prologflags"), "");
  EXPECT_EQ(settings.at("schedulerparameters"), "a=1,b=2");
  EXPECT_EQ(settings.size(), 4U);
}

}  // namespace
}  // namespace coolspan
