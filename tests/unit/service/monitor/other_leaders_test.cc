// SPDX-License-Identifier: GPL-3.0-or-later
// What a daemon that takes part in elections shows of the others.
#include <gtest/gtest.h>

#include <vector>

#include "room_machine.h"
#include "service/monitor/health.h"
#include "service/monitor/thermal_monitor.h"
#include "unit/service/clusters/tenure_test.h"

namespace coolspan {
namespace {

// All leaders' jobs heat one room: 100 W a node, 300 W with a job, whose mean
// share of communication is 30 %.
TEST_F(TenureTest, TheRoomHasTheHeatOfTheClustersOfOthers) {
  leadership_.leader = "unix:///other";
  DaemonSetup setup = SmallSetup(folder_.File(""));
  setup.machine = InRoom(*setup.machine,
                         RoomDescription(8, 8, std::vector<double>(64, 1e-4)));
  ThermalMonitor monitor(setup, clusters_, *log_, [] { return TimeMs{1000}; });
  EXPECT_DOUBLE_EQ(monitor.Status().it_w(), 800);
  leadership_.known = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  LiveSetting setting = Setting();
  setting.machine = setup.machine;
  const LiveClusters others(setting);
  ThermalMonitor with_jobs(setup, others, *log_, [] { return TimeMs{1000}; });
  EXPECT_DOUBLE_EQ(with_jobs.Status().it_w(), 800 + 2 * 170);
}

TEST_F(TenureTest, AStoreOutOfReachIsTold) {
  EXPECT_TRUE(clusters_.StoreStatus().ok());
  const Health health(journal_, &leadership_);
  EXPECT_TRUE(health.Ready().ok());
  leadership_.store = absl::UnavailableError("etcd: no response in time");
  EXPECT_EQ(clusters_.StoreStatus(), leadership_.store);
  EXPECT_EQ(health.Ready(), leadership_.store);
}

}  // namespace
}  // namespace coolspan
