// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "formats/file_error.h"
#include "unit/service/fake_stores.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class HealthTest : public ::testing::Test {
 protected:
  // A change of ledger and archive, stored or not.
  void Change() {
    ClusterEvent event;
    event.cluster = "c";
    event.what = ModeSet{PlacementMode::kAdvise};
    event.outcomes.push_back({"1.0.1", "expired", {}});
    journal_.Wait(journal_.Append(std::move(event))).IgnoreError();
  }
  std::string WhyNotReady() const { return MessageOf(health_.Ready()); }

  ScratchFolder folder_;
  std::unique_ptr<EventLog> log_ =
      *EventLog::Open({"error", folder_.File("log.txt"), "json"});
  FakeLedgerStore ledger_;
  FakeArchive archive_;
  WatchHub watchers_;
  Journal journal_{SmallMachine(), {ledger_, 1, archive_}, *log_,
                   watchers_,      [] { return 0; },       0};
  Health::Clock::time_point now_{};
  Health health_{journal_, nullptr, [this] { return now_; }};
};

TEST_F(HealthTest, IsAliveWhileTheTickerRuns) {
  EXPECT_TRUE(health_.Alive().ok());
  now_ += Health::kMaxTickAge;
  EXPECT_TRUE(health_.Alive().ok());
  now_ += std::chrono::seconds(1);
  EXPECT_THAT(MessageOf(health_.Alive()),
              HasSubstr("clusters have not been visited for 11 s"));
  EXPECT_EQ(WhyNotReady(), MessageOf(health_.Alive()));
  health_.NoteTick();
  EXPECT_TRUE(health_.Alive().ok());
  EXPECT_TRUE(health_.Ready().ok());
}

TEST_F(HealthTest, IsNotReadyWhileTheStateCannotBeWritten) {
  ledger_.disk.failing = true;
  Change();
  EXPECT_EQ(WhyNotReady(), "the state file cannot be written: no space");
  EXPECT_TRUE(health_.Alive().ok());
  ledger_.disk.failing = false;
  Change();
  EXPECT_EQ(WhyNotReady(), "");
}

TEST_F(HealthTest, IsNotReadyWhileTheDiskCannotBeSynced) {
  ledger_.sync.failing = true;
  Change();
  EXPECT_EQ(WhyNotReady(), "the state file cannot be synced to the disk");
  ledger_.sync.failing = false;
  Change();
  EXPECT_EQ(WhyNotReady(), "");
}

TEST_F(HealthTest, AnArchiveThatFailsDoesNotEndReadiness) {
  archive_.disk.failing = true;
  Change();
  EXPECT_EQ(WhyNotReady(), "");
  EXPECT_FALSE(journal_.archiver().health().is_written);
  EXPECT_GE(journal_.archiver().health().failures, 1u);
  EXPECT_GE(journal_.archiver().health().times.total(), 1u);
  archive_.disk.failing = false;
}

}  // namespace
}  // namespace coolspan
