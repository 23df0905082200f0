// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin/client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "unit/client/fake_daemon.h"

namespace coolspan {
namespace {

using Bitmap = std::vector<std::uint64_t>;

std::mutex log_mutex;
std::vector<std::string> log_lines;

void KeepLine(coolspan_log_level_t, const char* text) {
  const std::lock_guard lock(log_mutex);
  log_lines.emplace_back(text);
}

class PluginClientTest : public ::testing::Test {
 protected:
  ~PluginClientTest() override {
    if (client_ != nullptr) api_->stop(client_);
  }
  void StartClient(const std::string& endpoints) {
    coolspan_settings_t settings{};
    settings.endpoints = endpoints.c_str();
    settings.cluster = "test";
    settings.deadline_ms = 500;
    settings.breaker_s = 30;
    settings.log = KeepLine;
    client_ = api_->start(&settings, problem_.data(), std::size(problem_));
  }
  // 70 nodes, so that bitmaps have a second word.
  void Sync(const std::vector<coolspan_holding_t>& holdings = {}) {
    std::vector<std::string> names;
    std::vector<const char*> pointers;
    std::vector<std::uint32_t> capacity;
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      names.push_back("n" + std::to_string(i));
      capacity.push_back(i < 64 ? 4 : 8);
    }
    for (const std::string& name : names) pointers.push_back(name.c_str());
    pointers[3] = nullptr;
    const coolspan_snapshot_t snapshot = {kNodes,
                                          pointers.data(),
                                          capacity.data(),
                                          holdings.size(),
                                          holdings.data(),
                                          unavailable_.data(),
                                          mode_};
    api_->sync(client_, &snapshot);
  }
  coolspan_outcome_t Allocate(const Bitmap& candidates) {
    coolspan_request_t request = {};
    request.job = {7, 2};
    request.node_bits = kNodes;
    request.candidates = candidates.data();
    request.min_nodes = request.max_nodes = 2;
    request.whole = true;
    request.partition = "main";
    request.comment = comment_;
    request.mode = mode_;
    request.tiers = tiers_.empty() ? nullptr : tiers_.data();
    request.usable = usable_.empty() ? nullptr : usable_.data();
    answer_.nodes = chosen_.data();
    return api_->allocate(client_, &request, &answer_);
  }

  static constexpr std::uint32_t kNodes = 70;
  const coolspan_client_api_t* api_ =
      coolspan_client_api(COOLSPAN_CLIENT_API_VERSION);
  coolspan_client_t* client_ = nullptr;
  std::array<char, 200> problem_{};
  Bitmap chosen_ = {~std::uint64_t{0}, ~std::uint64_t{0}};
  coolspan_answer_t answer_ = {};
  const char* comment_ = nullptr;
  std::vector<std::uint32_t> tiers_;
  std::vector<coolspan_usable_t> usable_;
  coolspan_mode_t mode_ = COOLSPAN_MODE_ENFORCE;
  Bitmap unavailable_ = {0x11, 0x20};
  SocketFolder folder_;
};

TEST_F(PluginClientTest, OtherVersionsAreRefused) {
  EXPECT_EQ(coolspan_client_api(COOLSPAN_CLIENT_API_VERSION + 1), nullptr);
}

TEST_F(PluginClientTest, InvalidSettingsAreReported) {
  StartClient("tcp://ctl:1");
  EXPECT_EQ(client_, nullptr);
  EXPECT_NE(std::string(problem_.data()).find("tcp://ctl:1"), std::string::npos)
      << problem_.data();
}

TEST_F(PluginClientTest, NeedsASyncBeforeTheFirstRequest) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  EXPECT_TRUE(api_->sync_needed(client_));
  EXPECT_EQ(Allocate({1, 0}), COOLSPAN_SYNC_NEEDED);
  EXPECT_STRNE(answer_.reason, "");
}

TEST_F(PluginClientTest, SnapshotIsConvertedToASyncRequest) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  const Bitmap nodes = {0b101, std::uint64_t{1} << 5};
  const std::vector<std::uint32_t> units = {1, 2, 3};
  Sync({{.job = {9, 1},
         .node_bits = kNodes,
         .nodes = nodes.data(),
         .whole = false,
         .units = units.data(),
         .suspended = true,
         .comment = "caf\xe9 coolspan:comm-share=0.5",
         .limit_end_s = 1'700'000'000}});
  ASSERT_TRUE(Eventually([&] { return daemon.Syncs().size() == 1; }));
  const v1::SyncRequest sync = daemon.Syncs()[0];
  EXPECT_EQ(sync.cluster(), "test");
  ASSERT_EQ(sync.hostlist_size(), int{kNodes});
  EXPECT_EQ(sync.hostlist(0), "n0");
  EXPECT_EQ(sync.hostlist(3), "deleted-3");
  ASSERT_EQ(sync.capacity_size(), 2);
  EXPECT_EQ(sync.capacity(0).nodes(), 64u);
  EXPECT_EQ(sync.capacity(0).units(), 4u);
  EXPECT_EQ(sync.capacity(1).nodes(), 6u);
  EXPECT_EQ(sync.capacity(1).units(), 8u);
  ASSERT_EQ(sync.holdings_size(), 1);
  const v1::Holding& holding = sync.holdings(0);
  EXPECT_EQ(holding.job().job_id(), 9u);
  EXPECT_EQ(holding.job().restart(), 1u);
  EXPECT_EQ(holding.expected_end_ms(), 1'700'000'000'000);
  EXPECT_EQ(holding.nodes(), std::string("\5\0\0\0\0\0\0\0\x20", 9));
  EXPECT_FALSE(holding.whole());
  EXPECT_TRUE(holding.suspended());
  EXPECT_EQ(holding.comment(), "caf\xef\xbf\xbd coolspan:comm-share=0.5");
  EXPECT_EQ(std::vector<std::uint32_t>(holding.units().begin(),
                                       holding.units().end()),
            units);
  EXPECT_EQ(sync.unavailable(), std::string("\x11\0\0\0\0\0\0\0\x20", 9));
  EXPECT_EQ(sync.mode(), "enforce");
  unavailable_ = {0, 0};
  api_->set_unavailable(client_, kNodes, unavailable_.data());
  ASSERT_TRUE(Eventually([&] { return !daemon.KeepAlives().empty(); }));
  EXPECT_EQ(daemon.KeepAlives()[0].unavailable(), std::string(9, '\0'));
}

TEST_F(PluginClientTest, KnowsTheEndsThatItHasSent) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  const Bitmap nodes = {1, 0};
  coolspan_holding_t holding = {};
  holding.job = {9, 1};
  holding.node_bits = kNodes;
  holding.nodes = nodes.data();
  holding.whole = true;
  holding.limit_end_s = 100;
  const auto changed = [&](std::uint32_t restart, std::int64_t end_s) {
    return api_->end_changed(client_, {9, restart}, end_s);
  };
  EXPECT_FALSE(changed(1, 200)) << "not sent";
  Sync({holding});
  EXPECT_FALSE(changed(1, 100));
  EXPECT_TRUE(changed(1, 200));
  EXPECT_FALSE(changed(0, 200)) << "another run";
  holding.limit_end_s = COOLSPAN_NOT_LIMITED;
  api_->resize(client_, &holding);
  EXPECT_FALSE(changed(1, COOLSPAN_NOT_LIMITED));
  EXPECT_TRUE(changed(1, 100));
  ASSERT_TRUE(Eventually([&] { return daemon.Events().size() == 1; }));
  EXPECT_EQ(daemon.Events()[0].holding().expected_end_ms(), -1);
  api_->release(client_, {9, 1});
  EXPECT_FALSE(changed(1, 100));
  holding.limit_end_s = 300;
  api_->commit(client_, &holding, nullptr);
  EXPECT_TRUE(changed(1, 100));
  EXPECT_FALSE(changed(1, 300));
  Sync();
  EXPECT_FALSE(changed(1, 100)) << "replaced";
}

TEST_F(PluginClientTest, AllocateReturnsTheBitmap) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  const Bitmap candidates = {std::uint64_t{1} << 63, 0b100001};
  ASSERT_EQ(Allocate(candidates), COOLSPAN_PLACED) << answer_.reason;
  EXPECT_EQ(chosen_, candidates);
  EXPECT_STREQ(answer_.reason, "");
  ASSERT_EQ(daemon.Allocates().size(), 1u);
  const v1::AllocateRequest request = daemon.Allocates()[0];
  EXPECT_EQ(request.job().job_id(), 7u);
  EXPECT_EQ(request.job().restart(), 2u);
  EXPECT_EQ(request.candidates().size(), 9u);
  EXPECT_EQ(request.required(), "");
  EXPECT_EQ(request.partition(), "main");
  EXPECT_EQ(request.comment(), "");
  EXPECT_EQ(request.mode(), "enforce");
  EXPECT_EQ(answer_.mode, COOLSPAN_MODE_ADVISE);
}

TEST_F(PluginClientTest, TiersAreSentAsRuns) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  ASSERT_EQ(Allocate({1, 0}), COOLSPAN_PLACED) << answer_.reason;
  EXPECT_EQ(daemon.Allocates()[0].tiers_size(), 0);
  tiers_.assign(kNodes, 3);
  std::fill(tiers_.begin() + 10, tiers_.begin() + 12, 0);
  ASSERT_EQ(Allocate({1, 0}), COOLSPAN_PLACED) << answer_.reason;
  const v1::AllocateRequest request = daemon.Allocates()[1];
  ASSERT_EQ(request.tiers_size(), 3);
  EXPECT_EQ(request.tiers(0).nodes(), 10u);
  EXPECT_EQ(request.tiers(0).tier(), 3u);
  EXPECT_EQ(request.tiers(1).nodes(), 2u);
  EXPECT_EQ(request.tiers(1).tier(), 0u);
  EXPECT_EQ(request.tiers(2).nodes(), kNodes - 12);
}

TEST_F(PluginClientTest, UsableCpusAreSentAsRuns) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  usable_.assign(kNodes, {8, 2});
  usable_[0] = {8, 1};
  usable_[kNodes - 1] = {0, 1};
  ASSERT_EQ(Allocate({1, 0}), COOLSPAN_PLACED) << answer_.reason;
  const v1::AllocateRequest request = daemon.Allocates()[0];
  ASSERT_EQ(request.usable_size(), 3);
  EXPECT_EQ(request.usable(0).nodes(), 1u);
  EXPECT_EQ(request.usable(0).units(), 8u);
  EXPECT_EQ(request.usable(0).per_held(), 1u);
  EXPECT_EQ(request.usable(1).nodes(), kNodes - 2);
  EXPECT_EQ(request.usable(1).per_held(), 2u);
  EXPECT_EQ(request.usable(2).units(), 0u);
}

TEST_F(PluginClientTest, TheModeOfTheDaemonApplies) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  mode_ = COOLSPAN_MODE_OFF;
  EXPECT_EQ(Allocate({1, 0}), COOLSPAN_NOT_PLACED);
  EXPECT_EQ(answer_.mode, COOLSPAN_MODE_OFF);
  daemon.Stop();
  mode_ = COOLSPAN_MODE_ADVISE;
  EXPECT_EQ(Allocate({1, 0}), COOLSPAN_NO_ANSWER);
  EXPECT_EQ(answer_.mode, COOLSPAN_MODE_ADVISE) << "without an answer";
}

TEST_F(PluginClientTest, InvalidUtf8IsReplaced) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  comment_ = "caf\xe9 \xff coolspan:pattern=ring \xc3\xa9";
  ASSERT_EQ(Allocate({1, 0}), COOLSPAN_PLACED) << answer_.reason;
  comment_ = "\"quoted\", with\ttabs, \\ and \xc3\xa9";
  ASSERT_EQ(Allocate({1, 0}), COOLSPAN_PLACED) << answer_.reason;
  const auto requests = daemon.Allocates();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].comment(),
            "caf\xef\xbf\xbd \xef\xbf\xbd coolspan:pattern=ring \xc3\xa9");
  EXPECT_EQ(requests[1].comment(), comment_);
}

TEST_F(PluginClientTest, LongTextIsTruncated) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  const std::string comment =
      std::string(4095, 'x') + "\xc3\xa9" + std::string(100'000, 'y');
  comment_ = comment.c_str();
  ASSERT_EQ(Allocate({1, 0}), COOLSPAN_PLACED) << answer_.reason;
  const auto requests = daemon.Allocates();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].comment(), std::string(4095, 'x') + "\xef\xbf\xbd");
}

TEST_F(PluginClientTest, EventsKeepTheirOrder) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  const Bitmap nodes = {1, 0};
  coolspan_holding_t holding = {{7, 0},  kNodes, nodes.data(), true,
                                nullptr, false,  nullptr,      0};
  const coolspan_start_t start = {
      "fallback", "no caf\xe9", "no class", "7.0.1", {5, 0, 0, 0}, 0, 0, 0};
  api_->commit(client_, &holding, &start);
  api_->suspend(client_, {7, 0}, true);
  holding.comment = "no settings for coolspand";
  api_->resize(client_, &holding);
  api_->release(client_, {7, 0});
  api_->commit(client_, &holding, nullptr);
  ASSERT_TRUE(Eventually([&] { return daemon.Events().size() == 5; }));
  const std::vector<v1::Event> events = daemon.Events();
  for (std::uint64_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence(), i + 1);
    EXPECT_EQ(events[i].job().job_id(), 7u);
  }
  EXPECT_TRUE(events[0].holding().whole());
  EXPECT_TRUE(events[1].suspended());
  EXPECT_EQ(events[2].holding().comment(), "") << "must not be sent";
  EXPECT_EQ(events[0].start().verdict(), "fallback");
  EXPECT_EQ(events[0].start().reason(), "no caf\xef\xbf\xbd");
  EXPECT_EQ(events[0].start().reason_class(), "no class");
  EXPECT_EQ(events[0].start().decision_id(), "7.0.1");
  EXPECT_EQ(events[0].start().array_job_id(), 5u);
  EXPECT_TRUE(events[0].start().has_array_task_id());
  EXPECT_FALSE(events[0].start().has_het_job_offset());
  EXPECT_FALSE(events[4].has_start());
}

TEST_F(PluginClientTest, PowerNeedsNoSync) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  const std::vector<coolspan_power_t> powers = {{"n1", 250}, {"n2", 1e6}};
  api_->report_power(client_, powers.data(), powers.size());
  ASSERT_TRUE(Eventually([&] { return daemon.telemetry.reports == 1; }));
  EXPECT_EQ(daemon.telemetry.Powers(),
            (std::map<std::string, double>{{"n1", 250}, {"n2", 1e6}}));
  api_->report_power(client_, nullptr, 0);
}

TEST_F(PluginClientTest, BitmapOfAnotherTableIsRefused) {
  FakeDaemon daemon(folder_.Path("d"));
  StartClient(daemon.endpoint());
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  // The fake daemon answers with the candidates, here bit 71.
  EXPECT_EQ(Allocate({0, std::uint64_t{1} << 7}), COOLSPAN_NO_ANSWER);
  EXPECT_STRNE(answer_.reason, "");
}

TEST_F(PluginClientTest, MissingDaemonIsNoAnswer) {
  StartClient("unix://" + folder_.Path("missing"));
  ASSERT_NE(client_, nullptr) << problem_.data();
  Sync();
  EXPECT_EQ(Allocate({1, 0}), COOLSPAN_NO_ANSWER);
  EXPECT_STRNE(answer_.reason, "");
}

}  // namespace
}  // namespace coolspan
