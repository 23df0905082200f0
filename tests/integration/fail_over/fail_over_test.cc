// SPDX-License-Identifier: GPL-3.0-or-later
// Three members of etcd and two daemons. The leader is killed, stopped past its
// lease and cut off from etcd while clients allocate, commit and release; a
// member of etcd is killed, then all. Whatever happens, nothing that clients
// were told is lost, no node is in two allocations, and decisions resume soon.
// COOLSPAN_FAIL_OVERS: how often the leader is killed, if not three times; it
// is stopped and cut off a fifth as often.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "integration/fail_over/tcp_proxy.h"
#include "integration/running_daemon.h"
#include "integration/told_jobs.h"
#include "running_etcd.h"
#include "sanitized.h"

namespace coolspan {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint32_t kClients = 4;

int FailOvers() {
  const char* const count = std::getenv("COOLSPAN_FAIL_OVERS");
  return count == nullptr ? 3 : std::atoi(count);
}

// A daemon whose connections to etcd can be cut.
struct Site {
  explicit Site(const RunningEtcd& etcd) {
    std::string endpoints;
    for (const std::string& endpoint : etcd.endpoints()) {
      proxies.push_back(std::make_unique<TcpProxy>(
          std::atoi(endpoint.substr(endpoint.rfind(':') + 1).c_str())));
      endpoints += (endpoints.empty() ? "\"" : ", \"") +
                   proxies.back()->endpoint() + "\"";
    }
    RunningDaemon::Options options;
    options.state = "etcd: [" + endpoints + "], lease_s: 1";
    daemon = std::make_unique<RunningDaemon>(options);
  }

  std::vector<std::unique_ptr<TcpProxy>> proxies;
  std::unique_ptr<RunningDaemon> daemon;
};

class FailOverTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
    RunningEtcd::Options options;
    options.members = 3;
    etcd_ = std::make_unique<RunningEtcd>(options);
    for (int i = 0; i < 2; ++i)
      sites_.push_back(std::make_unique<Site>(*etcd_));
    ASSERT_TRUE(Eventually([this] { return Sync(); }, 20s)) << "no leader";
    for (std::uint32_t i = 1; i <= kClients; ++i) {
      clients_.push_back(std::make_unique<ToldClient>(i, told_));
      clients_.back()->SetTimeout(300ms);
    }
  }

  template <typename Holds>
  static bool Eventually(const Holds& holds, milliseconds limit) {
    const auto until = steady_clock::now() + limit;
    while (!holds()) {
      if (steady_clock::now() > until) return false;
      std::this_thread::sleep_for(10ms);
    }
    return true;
  }

  bool Sync() {
    for (const auto& site : sites_) {
      v1::SyncRequest request;
      request.set_cluster("c");
      request.set_now_ms(NowMs());
      request.add_hostlist("n[01-16]");
      request.set_client_id("q");
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + 3s);
      v1::SyncReply reply;
      if (site->daemon->Connect()->Sync(&context, request, &reply).ok()) {
        epoch_ = reply.epoch();
        return true;
      }
    }
    return false;
  }

  // The site that decides, asked by a call that changes nothing; -1: none.
  int Leader() const {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      v1::KeepAliveRequest request;
      request.set_cluster("c");
      request.set_epoch(epoch_);
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + 300ms);
      v1::KeepAliveReply reply;
      const auto stub = sites_[i]->daemon->Connect();
      if (stub->KeepAlive(&context, request, &reply).ok()) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  // Calls now one daemon, now the other, as long as one fails.
  void RunClient(ToldClient& client) {
    std::vector<std::unique_ptr<v1::Allocator::Stub>> stubs;
    for (const auto& site : sites_) stubs.push_back(site->daemon->Connect());
    std::size_t used = 0;
    while (!is_over_ && !HasFailure()) {
      const auto sent = steady_clock::now();
      const grpc::Status status = client.MakeCall(*stubs[used], epoch_);
      if (status.ok()) {
        NoteAnswer(sent);
        continue;
      }
      const auto code = status.error_code();
      EXPECT_TRUE(code == grpc::StatusCode::UNAVAILABLE ||
                  code == grpc::StatusCode::DEADLINE_EXCEEDED)
          << status.error_message();
      used = (used + 1) % stubs.size();
      std::this_thread::sleep_for(10ms);
    }
  }

  void NoteAnswer(steady_clock::time_point sent) {
    const std::lock_guard lock(mutex_);
    last_answered_ = std::max(last_answered_, sent);
  }

  // Runs the clients for a while, in which fault is called, and until they are
  // answered again. Returns the time from the fault to the first answer of a
  // call that was made after it.
  template <typename Fault>
  milliseconds RunThrough(const Fault& fault, milliseconds limit = 15s) {
    is_over_ = false;
    std::vector<std::thread> threads;
    for (const auto& client : clients_) {
      threads.emplace_back([this, &client] { RunClient(*client); });
    }
    std::this_thread::sleep_for(300ms);
    fault();
    const auto fault_at = steady_clock::now();
    EXPECT_TRUE(Eventually(
        [&] {
          const std::lock_guard lock(mutex_);
          return last_answered_ > fault_at;
        },
        limit))
        << "decisions have not resumed";
    const auto took = std::chrono::duration_cast<milliseconds>(
        steady_clock::now() - fault_at);
    std::this_thread::sleep_for(200ms);
    is_over_ = true;
    for (std::thread& thread : threads) thread.join();
    return took;
  }

  void CheckLedger() {
    int leader = -1;
    ASSERT_TRUE(Eventually([&] { return (leader = Leader()) >= 0; }, 15s))
        << "no leader";
    told_.CheckLedger(
        *sites_[static_cast<std::size_t>(leader)]->daemon->Connect());
  }

  Site& LeadingSite() {
    int leader = -1;
    EXPECT_TRUE(Eventually([&] { return (leader = Leader()) >= 0; }, 15s));
    return *sites_[static_cast<std::size_t>(std::max(leader, 0))];
  }

  void Finish() {
    Site& site = LeadingSite();
    const auto stub = site.daemon->Connect();
    for (const auto& client : clients_) {
      client->SetTimeout(10s);
      client->Finish(*stub, epoch_);
    }
    told_.CheckLedger(*stub);
  }

  static void Report(const char* what, std::vector<milliseconds> times) {
    if (times.empty()) {
      std::cout << what << ": 0 times\n";
      return;
    }
    std::sort(times.begin(), times.end());
    std::cout << what << ": " << times.size() << " times, resumed after "
              << times[times.size() / 2].count() << " ms (median), "
              << times.back().count() << " ms (maximum)\n";
    // A lease of 1 s.
    if (!kSanitized) {
      EXPECT_LT(times.back(), 3s) << what;
    }
  }

  std::unique_ptr<RunningEtcd> etcd_;
  std::vector<std::unique_ptr<Site>> sites_;
  ToldJobs told_;
  std::vector<std::unique_ptr<ToldClient>> clients_;
  std::string epoch_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  steady_clock::time_point last_answered_;
};

TEST_F(FailOverTest, ALeaderIsKilled) {
  std::vector<milliseconds> times;
  for (int i = 0; i < FailOvers() && !HasFailure(); ++i) {
    Site& site = LeadingSite();
    times.push_back(RunThrough([&] { site.daemon->Signal(SIGKILL); }));
    CheckLedger();
    site.daemon->Start();
  }
  Finish();
  Report("killed", times);
}

TEST_F(FailOverTest, ALeaderIsStoppedPastItsLease) {
  std::vector<milliseconds> times;
  for (int i = 0; i < (FailOvers() + 4) / 5 && !HasFailure(); ++i) {
    Site& site = LeadingSite();
    std::thread resuming;
    times.push_back(RunThrough([&] {
      site.daemon->Signal(SIGSTOP);
      resuming = std::thread([&] {
        std::this_thread::sleep_for(4s);
        site.daemon->Signal(SIGCONT);
      });
    }));
    // Clients call when it goes on and answers what it was asked before.
    RunThrough([&] {
      resuming.join();
      std::this_thread::sleep_for(500ms);
    });
    CheckLedger();
  }
  Finish();
  Report("stopped", times);
}

TEST_F(FailOverTest, ALeaderIsCutOffFromEtcd) {
  std::vector<milliseconds> times;
  for (int i = 0; i < (FailOvers() + 4) / 5 && !HasFailure(); ++i) {
    Site& site = LeadingSite();
    times.push_back(RunThrough([&] {
      for (const auto& proxy : site.proxies) proxy->Cut();
      // A proxy notices it within 20 ms.
      std::this_thread::sleep_for(50ms);
    }));
    for (const auto& proxy : site.proxies) proxy->Restore();
    CheckLedger();
  }
  Finish();
  Report("cut off", times);
}

TEST_F(FailOverTest, MembersOfEtcdAreKilled) {
  std::vector<milliseconds> times;
  for (std::size_t member = 0; member < 3 && !HasFailure(); ++member) {
    times.push_back(RunThrough([&] { etcd_->Signal(member, SIGKILL); }));
    CheckLedger();
    etcd_->Start(member);
    etcd_->WaitUntilItAnswers();
  }
  Finish();
  Report("member killed", times);
}

TEST_F(FailOverTest, WithoutEtcdDecisionsStopAndNothingIsLost) {
  RunThrough(
      [&] {
        for (std::size_t i = 0; i < 3; ++i) etcd_->Signal(i, SIGKILL);
        // Calls of before may be answered; none is after that.
        std::this_thread::sleep_for(1000ms);
        const std::uint64_t answers = told_.answers();
        std::this_thread::sleep_for(1s);
        EXPECT_EQ(told_.answers(), answers) << "decided without etcd";
        // A follower, and what was the leader, still answer reports.
        for (const auto& site : sites_) {
          grpc::ClientContext context;
          context.set_deadline(std::chrono::system_clock::now() + 5s);
          v1::StatusReply status;
          EXPECT_TRUE(
              site->daemon->Connect()->Status(&context, {}, &status).ok());
          const std::string& ledger = status.state().ledger();
          EXPECT_TRUE(ledger.starts_with("etcd ")) << ledger;
          EXPECT_EQ(std::count(ledger.begin(), ledger.end(), ','), 2) << ledger;
        }
        for (std::size_t i = 0; i < 3; ++i) etcd_->Start(i);
      },
      30s);
  CheckLedger();
  Finish();
}

TEST_F(FailOverTest, TheEndOfALeaderIsNotDelayedByAHungEtcd) {
  Site& site = LeadingSite();
  RunThrough([] {});
  for (std::size_t i = 0; i < 3; ++i) etcd_->Signal(i, SIGSTOP);
  const auto start = steady_clock::now();
  site.daemon->Signal(SIGTERM);
  EXPECT_TRUE(site.daemon->Wait().has_value());
  EXPECT_LT(steady_clock::now() - start, 5s);
  for (std::size_t i = 0; i < 3; ++i) etcd_->Signal(i, SIGCONT);
}

TEST_F(FailOverTest, ALeaderThatEndsGivesItsClustersUp) {
  Site& site = LeadingSite();
  const milliseconds took = RunThrough([&] { site.daemon->Signal(SIGTERM); });
  EXPECT_EQ(site.daemon->Wait(), 0);
  EXPECT_LT(took, 2s);
  CheckLedger();
  Finish();
}

}  // namespace
}  // namespace coolspan
