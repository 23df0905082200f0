// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "setup/daemon_setup.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DaemonReloadTest : public ::testing::Test {
 protected:
  static constexpr const char* kMachineText =
      "name: m\ntopology: {kind: mesh, dims: [4]}\nnodes: \"n[1-4]\"\n"
      "node_types:\n  - {name: t, nodes: \"n[1-4]\", idle_w: 1, compute_w: 2, "
      "communicate_w: 2}\n"
      "thermal: {heat_distribution: d.txt, airflow_w_per_k: 300, supply_c: 15, "
      "redline_c: 30, cop: [0.0068, 0.0008, 0.458]}\n";

  DaemonReloadTest() {
    WriteHeat(1e-4);
    Write("m.yaml", kMachineText);
    Write("d.yaml", "machine: m.yaml\npolicy: first-fit\n");
    auto setup = LoadDaemonFile(path_);
    EXPECT_TRUE(setup.ok()) << setup.status();
    running_ = *std::move(setup);
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.File(name)) << text;
  }
  void WriteHeat(double entry) const {
    std::ofstream out(folder_.File("d.txt"));
    for (int i = 0; i < 16; ++i) out << entry << (i % 4 == 3 ? "\n" : " ");
  }
  std::string Refusal() const {
    const auto reloaded = ReloadDaemonFile(running_);
    EXPECT_TRUE(absl::IsFailedPrecondition(reloaded.status()))
        << reloaded.status();
    return std::string(reloaded.status().message());
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.File("d.yaml");
  DaemonSetup running_;
};

TEST_F(DaemonReloadTest, PoliciesAreOnTheRunningMachine) {
  Write("d.yaml",
        "machine: m.yaml\npolicy: best-fit\ndeadline_ms: 30\n"
        "rules: [{partition: p, policy: mc}]\n");
  const auto reloaded = ReloadDaemonFile(running_);
  ASSERT_TRUE(reloaded.ok()) << reloaded.status();
  EXPECT_EQ(reloaded->setup.machine, running_.machine);
  EXPECT_EQ(reloaded->setup.policy->spec(), "best-fit");
  EXPECT_EQ(reloaded->setup.rules.size(), 1u);
  std::vector<std::string> changed;
  for (const auto& change : reloaded->changes) changed.push_back(change.name);
  EXPECT_THAT(changed,
              ::testing::ElementsAre("policy", "rules[1].partition",
                                     "rules[1].policy", "deadline_ms"));
}

TEST_F(DaemonReloadTest, ErrorsHaveTheirPlace) {
  Write("d.yaml", "machine: m.yaml\npolicy: best-fitt\n");
  const auto reloaded = ReloadDaemonFile(running_);
  EXPECT_TRUE(absl::IsInvalidArgument(reloaded.status()));
  EXPECT_THAT(std::string(reloaded.status().message()),
              StartsWith(path_ + ":2:9: policy: "));
}

TEST_F(DaemonReloadTest, WhatNeedsARestartIsRefusedByName) {
  Write("d.yaml",
        "machine: m.yaml\npolicy: best-fit\nlisten: ipv4:127.0.0.1:1\n");
  EXPECT_EQ(Refusal(),
            path_ +
                ":3:9: listen: [ipv4:127.0.0.1:1] (expected "
                "[unix:///run/coolspan/coolspand.sock] as at the start of "
                "the daemon: a new value takes effect after a restart)");
  Write("d.yaml", "machine: m.yaml\nstate: {sqlite: other.db}\n");
  EXPECT_THAT(Refusal(), HasSubstr("2:17: state.sqlite: other.db (expected "));
}

TEST_F(DaemonReloadTest, AnotherMachineNeedsARestart) {
  Write("m.yaml", std::string(kMachineText) + "communication_share: 0.5\n");
  EXPECT_THAT(Refusal(),
              StartsWith(path_ + ":1:10: machine: " + folder_.File("m.yaml") +
                         ", or a file named there, has changed (expected "));
}

TEST_F(DaemonReloadTest, AFileOfTheMachineNeedsARestart) {
  WriteHeat(2e-4);
  EXPECT_THAT(Refusal(), HasSubstr("or a file named there, has changed"));
}

}  // namespace
}  // namespace coolspan
