// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/power_reports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/client/fake_daemon.h"

namespace coolspan {
namespace {

using Powers = std::map<std::string, double>;

class PowerReportsTest : public ::testing::Test {
 protected:
  PowerReports::Log KeepLines() {
    return [this](ClientOptions::Severity, const std::string& line) {
      const std::lock_guard lock(log_mutex_);
      log_.push_back(line);
    };
  }
  int Logged(const std::string& text) {
    const std::lock_guard lock(log_mutex_);
    return static_cast<int>(
        std::count_if(log_.begin(), log_.end(), [&](const std::string& line) {
          return line.find(text) != std::string::npos;
        }));
  }
  static void Report(PowerReports& reports, const Powers& powers) {
    std::vector<NodePower> reported;
    for (const auto& [node, watts] : powers) reported.push_back({node, watts});
    reports.Report(reported);
  }

  SocketFolder folder_;
  FakeDaemon daemon_{folder_.Path("d")};
  Channels channels_{ParseEndpoints(daemon_.endpoint()).value()};

 private:
  std::mutex log_mutex_;
  std::vector<std::string> log_;
};

TEST_F(PowerReportsTest, SendsThePowerOfNodes) {
  PowerReports reports(channels_, KeepLines());
  Report(reports, {{"n1", 310}, {"n2", 0.5}});
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.reports == 1; }));
  EXPECT_EQ(daemon_.telemetry.Powers(), (Powers{{"n1", 310}, {"n2", 0.5}}));
  Report(reports, {{"n2", 120}});
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.reports == 2; }));
  EXPECT_EQ(daemon_.telemetry.Powers(), (Powers{{"n1", 310}, {"n2", 120}}));
  ASSERT_TRUE(
      Eventually([&] { return Logged("accepts node power reports") > 0; }));
  EXPECT_EQ(Logged(""), 1) << "success must be logged once";
}

TEST_F(PowerReportsTest, EmptyReportIsNotSent) {
  PowerReports reports(channels_, KeepLines());
  reports.Report({});
  Report(reports, {{"n1", 1}});
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.reports == 1; }));
  EXPECT_EQ(daemon_.telemetry.calls, 1);
}

TEST_F(PowerReportsTest, ManyNodesAreSentInSeveralMessages) {
  Powers powers;
  for (int node = 0; node < 10'000; ++node) {
    powers["node-" + std::to_string(node)] = node;
  }
  PowerReports reports(channels_, KeepLines());
  Report(reports, powers);
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.reports == 1; }));
  EXPECT_EQ(daemon_.telemetry.Powers(), powers);
}

TEST_F(PowerReportsTest, DuringACallOnlyTheLatestValueOfEachNodeIsKept) {
  PowerReports reports(channels_, KeepLines());
  daemon_.telemetry.hung = true;
  Report(reports, {{"n1", 1}});
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.calls == 1; }));
  for (int watts = 2; watts <= 1000; ++watts) {
    Report(reports, {{"n1", double(watts)}, {"n2", 1}});
  }
  Report(reports, {{"n3", 3}});
  daemon_.telemetry.hung = false;
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.reports == 2; }));
  EXPECT_EQ(daemon_.telemetry.Powers(),
            (Powers{{"n1", 1000}, {"n2", 1}, {"n3", 3}}));
}

TEST_F(PowerReportsTest, ValuesThatCannotBeSentAreDropped) {
  daemon_.Stop();
  PowerReports reports(channels_, KeepLines());
  Report(reports, {{"n1", 1}});
  ASSERT_TRUE(Eventually([&] { return Logged("are dropped") == 1; }));
  Report(reports, {{"n2", 2}});
  daemon_.Start();
  ASSERT_TRUE(Eventually([&] {
    Report(reports, {{"n3", 3}});
    return daemon_.telemetry.reports > 0;
  }));
  EXPECT_EQ(daemon_.telemetry.Powers().count("n1"), 0U);
  ASSERT_TRUE(
      Eventually([&] { return Logged("accepts node power reports") == 1; }));
  EXPECT_EQ(Logged("are dropped"), 1) << "must be logged once";
}

TEST_F(PowerReportsTest, NextReportTriesTheNextEndpoint) {
  Channels both(ParseEndpoints("unix://" + folder_.Path("missing") + "," +
                               daemon_.endpoint())
                    .value());
  PowerReports reports(both, KeepLines());
  EXPECT_TRUE(Eventually([&] {
    Report(reports, {{"n1", 1}});
    return daemon_.telemetry.reports > 0;
  }));
}

TEST_F(PowerReportsTest, DaemonWithoutThermalModelIsLogged) {
  daemon_.telemetry.has_no_room = true;
  PowerReports reports(channels_, KeepLines());
  Report(reports, {{"n1", 1}});
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.calls == 1; }));
  Report(reports, {{"n1", 2}});
  ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.calls == 2; }));
  EXPECT_TRUE(Eventually(
      [&] { return Logged("does not use node power reports") == 1; }));
  EXPECT_EQ(Logged("no room is known"), 1);
}

TEST_F(PowerReportsTest, DestructorDoesNotWaitForAHungDaemon) {
  daemon_.telemetry.hung = true;
  {
    PowerReports reports(channels_, KeepLines());
    Report(reports, {{"n1", 1}});
    ASSERT_TRUE(Eventually([&] { return daemon_.telemetry.calls == 1; }));
  }
  EXPECT_TRUE(daemon_.telemetry.hung) << "the destructor waited";
  EXPECT_EQ(Logged(""), 0) << "stopping must not be logged as a failure";
}

}  // namespace
}  // namespace coolspan
