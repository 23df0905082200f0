// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_LIVE_CLUSTER_TEST_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_LIVE_CLUSTER_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/clusters/live_cluster.h"
#include "state/sqlite_archive.h"
#include "state/sqlite_ledger.h"
#include "unit/service/clusters/answer_of.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {

class LiveClusterTest : public ::testing::Test {
 protected:
  TimeLimits Limits(std::chrono::seconds left = std::chrono::seconds(60)) {
    return {std::chrono::steady_clock::now() + left, std::chrono::seconds(60)};
  }
  void Sync(const std::string& client_id, std::int64_t now_ms = 1000,
            const std::string& hostlist = "n[1-8]") {
    v1::SyncRequest request = SmallSync();
    request.set_client_id(client_id);
    request.set_now_ms(now_ms);
    request.set_hostlist(0, hostlist);
    request.clear_capacity();
    v1::UnitsRun& run = *request.add_capacity();
    run.set_nodes(hostlist == "n[1-8]" ? 8 : 7);
    run.set_units(4);
    const auto reply = cluster_.Sync(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    epoch_ = reply->epoch();
    client_id_ = client_id;
  }
  absl::StatusOr<v1::AllocateReply> Ask(std::uint32_t job_id,
                                        std::uint32_t nodes,
                                        std::int64_t now_ms = 1000) {
    v1::AllocateRequest request = AskFor(epoch_, job_id, nodes, 1, now_ms);
    request.set_client_id(client_id_);
    return AnswerOf(cluster_, request, Limits());
  }
  absl::StatusOr<v1::EventReply> Commit(std::uint64_t sequence,
                                        std::uint32_t job_id,
                                        const std::vector<int>& nodes) {
    v1::Event event = CommitOf(epoch_, sequence, job_id, nodes);
    event.set_client_id(client_id_);
    return cluster_.Apply(EventKind::kCommit, event);
  }

  static std::vector<Holding> HoldingsOf(const LiveCluster& cluster) {
    std::vector<Holding> holdings;
    for (const auto& held : cluster.Holdings()) holdings.push_back(*held);
    return holdings;
  }

  LiveClusterTest() = default;
  LiveClusterTest(std::unique_ptr<LedgerStore> ledger_store,
                  std::unique_ptr<DecisionArchive> archive)
      : archive_(std::move(archive)), ledger_store_(std::move(ledger_store)) {}

  ScratchFolder folder_;
  DaemonSetup setup_ = SmallSetup(folder_.File(""));
  std::unique_ptr<DecisionArchive> archive_ =
      *OpenSqliteArchive(folder_.File("archive.db"));
  std::unique_ptr<LedgerStore> ledger_store_ =
      *OpenSqliteLedger(folder_.File("state.db"), folder_.File("archive.db"));
  std::unique_ptr<EventLog> log_ =
      *EventLog::Open({"info", folder_.File("log.txt"), "json"});
  WatchHub watchers_;
  Journal journal_{setup_.machine,
                   {*ledger_store_, *ledger_store_->BeginTerm(), *archive_},
                   *log_,
                   watchers_,
                   [] { return TimeMs{1000}; },
                   100'000};
  DecisionTimes times_;
  CurrentConfig config_{std::make_shared<const DecisionConfig>(setup_)};
  LiveSetting setting_{setup_.machine, &config_, &journal_, &times_};
  LiveCluster cluster_{"c", setting_};
  std::string epoch_;
  std::string client_id_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_LIVE_CLUSTER_TEST_H_
