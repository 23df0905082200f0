// SPDX-License-Identifier: GPL-3.0-or-later
// What a daemon says while no member of etcd answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "etcd/etcd_leadership.h"
#include "running_etcd.h"

namespace coolspan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Waits for it.
std::string LeaseLine(std::mutex& mutex, const std::vector<std::string>& lines,
                      std::size_t index) {
  for (int i = 0; i < 1000; ++i) {
    {
      const std::lock_guard lock(mutex);
      if (index < lines.size()) return lines[index];
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return "no line";
}

TEST(UnreachableEtcd, IsLoggedOnceAndTold) {
  if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
  RunningEtcd etcd;
  std::mutex mutex;
  std::vector<std::string> lines;
  ElectionSetting setting;
  setting.endpoint = "unix:///test";
  setting.lease = std::chrono::seconds(1);
  setting.log = [&](bool is_problem, const std::string& state,
                    const std::string& /*cluster*/, const std::string& text) {
    const std::lock_guard lock(mutex);
    if (state != "lease") return;
    lines.push_back((is_problem ? "problem: " : "") + text);
  };
  EtcdClient client(etcd.address());
  const auto leadership =
      MakeEtcdLeadership(client, EtcdKeys("/unreachable/"), setting);
  EXPECT_FALSE(leadership->status().ok());
  leadership->Start({[](const std::string&, const std::shared_ptr<Tenure>&,
                        const std::optional<StoredCluster>&) {},
                     [](const std::string&) {}});
  EXPECT_THAT(LeaseLine(mutex, lines, 0), StartsWith("granted for"));
  etcd.Signal(0, SIGKILL);
  EXPECT_THAT(LeaseLine(mutex, lines, 1),
              AllOf(StartsWith("problem: none: etcd at 127.0.0.1:"),
                    Not(HasSubstr("all addresses"))));
  const absl::Status status = leadership->status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("etcd"));
  etcd.Start(0);
  // The lease has ended, or is renewed: either way it is in reach again.
  for (int i = 0; i < 1000 && !leadership->status().ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(leadership->status().ok()) << leadership->status();
  leadership->Stop();
}

}  // namespace
}  // namespace coolspan
