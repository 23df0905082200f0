// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/etcd_leadership.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "etcd/etcd_ledger.h"
#include "integration/fail_over/tcp_proxy.h"
#include "unit/etcd/etcd_test.h"
#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

bool Eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds limit = 20s) {
  const auto until = steady_clock::now() + limit;
  while (!holds()) {
    if (steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

int PortOf(const RunningEtcd& etcd) {
  const std::string endpoint = etcd.endpoints().front();
  return std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
}

// Removes the history before the revision. The daemon has no use for this call:
// it is made by name, with a message that has the same one field.
void Compact(std::uint64_t revision) {
  grpc::TemplatedGenericStub<etcdserverpb::LeaseRevokeRequest,
                             etcdserverpb::LeaseRevokeResponse>
      stub(grpc::CreateChannel("ipv4:" + SharedEtcd().endpoints().front(),
                               grpc::InsecureChannelCredentials()));
  etcdserverpb::LeaseRevokeRequest request;
  request.set_id(static_cast<std::int64_t>(revision));
  etcdserverpb::LeaseRevokeResponse response;
  grpc::ClientContext context;
  std::promise<grpc::Status> ended;
  stub.UnaryCall(&context, "/etcdserverpb.KV/Compact", {}, &request, &response,
                 [&](grpc::Status status) { ended.set_value(status); });
  const grpc::Status status = ended.get_future().get();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// A daemon that takes part in elections.
class Candidate {
 public:
  Candidate(const EtcdAddress& etcd, const EtcdKeys& keys,
            const std::string& endpoint, std::uint64_t machine = 1)
      : client_(etcd) {
    ElectionSetting setting;
    setting.endpoint = endpoint;
    setting.machine_fingerprint = machine;
    setting.lease = 1s;
    setting.log = [this](bool, const std::string& state, const std::string&,
                         const std::string&) {
      const std::lock_guard lock(mutex_);
      ++logged_[state];
    };
    leadership_ = MakeEtcdLeadership(client_, keys, setting);
    leadership_->Start({[this](const std::string& cluster, const auto& tenure,
                               std::optional<StoredCluster> stored) {
                          const std::lock_guard lock(mutex_);
                          tenures_[cluster] = tenure;
                          stored_[cluster] = std::move(stored);
                        },
                        [this](const std::string& cluster) {
                          const std::lock_guard lock(mutex_);
                          tenures_.erase(cluster);
                        }});
    ledger_ = MakeEtcdLedger(client_, keys, "unix:///test");
  }
  ~Candidate() { leadership_->Stop(); }

  Leadership& leadership() { return *leadership_; }
  EtcdClient& client() { return client_; }
  LedgerStore& ledger() { return *ledger_; }
  bool Leads(const std::string& cluster) const {
    return leadership_->Check(cluster).ok() && TenureOf(cluster) != nullptr;
  }
  std::shared_ptr<Tenure> TenureOf(const std::string& cluster) const {
    const std::lock_guard lock(mutex_);
    const auto found = tenures_.find(cluster);
    return found == tenures_.end() ? nullptr : found->second;
  }
  std::optional<StoredCluster> StoredOf(const std::string& cluster) {
    const std::lock_guard lock(mutex_);
    return stored_[cluster];
  }
  absl::Status Write(const LedgerChange& change) {
    const auto tenure = TenureOf(change.cluster);
    if (tenure == nullptr) return absl::UnavailableError("not led");
    const TermChanges write{change.cluster, tenure->term(), {change}};
    return ledger_->Write({&write, 1}).front();
  }
  int Logged(const std::string& state) {
    const std::lock_guard lock(mutex_);
    return logged_[state];
  }
  absl::StatusOr<std::shared_ptr<Tenure>> Claim(const std::string& cluster) {
    return leadership_->Claim(cluster, steady_clock::now() + 10s);
  }

 private:
  EtcdClient client_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Tenure>> tenures_;
  std::map<std::string, std::optional<StoredCluster>> stored_;
  std::map<std::string, int> logged_;
  std::unique_ptr<Leadership> leadership_;
  std::unique_ptr<LedgerStore> ledger_;
};

class EtcdLeadershipTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
  }
  std::unique_ptr<Candidate> Join(const std::string& endpoint) {
    return std::make_unique<Candidate>(SharedEtcd().address(), keys_, endpoint);
  }
  static LedgerChange SyncOf(const std::string& cluster) {
    StoredCluster stored = ClusterOf({HoldingOf(1, "n1")});
    stored.name = cluster;
    return SyncTo(stored);
  }

  EtcdKeys keys_{NewPrefix()};
};

TEST_F(EtcdLeadershipTest, OneClaimsAndTheOthersNameIt) {
  const auto a = Join("unix:///a");
  const auto b = Join("unix:///b");
  const auto tenure = a->Claim("c");
  ASSERT_TRUE(tenure.ok()) << tenure.status();
  EXPECT_TRUE((*tenure)->IsCurrent());
  EXPECT_TRUE(a->Leads("c"));
  EXPECT_FALSE(a->StoredOf("c").has_value());
  EXPECT_TRUE(Eventually([&] {
    return LeaderNamedIn(b->leadership().Check("c")) == "unix:///a";
  }));
  const auto refused = b->Claim("c");
  EXPECT_TRUE(absl::IsUnavailable(refused.status()));
  EXPECT_EQ(LeaderNamedIn(refused.status()), "unix:///a");
  EXPECT_THAT(
      std::string(refused.status().message()),
      ::testing::HasSubstr("not the leader of cluster c (leader: unix:///a)"));
}

TEST_F(EtcdLeadershipTest, ANewLeaderHasAllThatTheFormerOneWrote) {
  auto a = Join("unix:///a");
  const auto b = Join("unix:///b");
  ASSERT_TRUE(a->Claim("c").ok());
  ASSERT_TRUE(a->Write(SyncOf("c")).ok());
  for (std::uint32_t job = 2; job <= 30; ++job) {
    LedgerChange change;
    change.cluster = "c";
    change.held = {HoldingOf(job, "n2")};
    ASSERT_TRUE(a->Write(change).ok());
  }
  const std::uint64_t term = a->TenureOf("c")->term();
  a.reset();  // gives its clusters up
  const auto gone = steady_clock::now();
  ASSERT_TRUE(Eventually([&] { return b->Leads("c"); }));
  EXPECT_LT(steady_clock::now() - gone, 1s) << "waited for the lease's end";
  EXPECT_GT(b->TenureOf("c")->term(), term);
  EXPECT_EQ(b->StoredOf("c")->holdings.size(), 30u);
}

TEST_F(EtcdLeadershipTest, AFollowerReadsWhatTheLeaderWrites) {
  const auto a = Join("unix:///a");
  const auto b = Join("unix:///b");
  ASSERT_TRUE(a->Claim("c").ok());
  ASSERT_TRUE(a->Write(SyncOf("c")).ok());
  ASSERT_TRUE(Eventually([&] { return b->leadership().Read("c").ok(); }));
  const auto followed = b->leadership().ListClusters();
  ASSERT_EQ(followed.size(), 1u);
  EXPECT_EQ(followed[0].cluster, "c");
  EXPECT_EQ(followed[0].leader, "unix:///a");
}

TEST_F(EtcdLeadershipTest, ClustersOfAFailedDaemonAreSpread) {
  auto a = Join("unix:///a");
  std::vector<std::string> clusters;
  for (int i = 0; i < 24; ++i) {
    clusters.push_back("c" + std::to_string(i));
    ASSERT_TRUE(a->Claim(clusters.back()).ok());
    ASSERT_TRUE(a->Write(SyncOf(clusters.back())).ok());
  }
  const auto b = Join("unix:///b");
  const auto c = Join("unix:///c");
  ASSERT_TRUE(Eventually([&] {
    return b->leadership().ListClusters().size() == 24 &&
           c->leadership().ListClusters().size() == 24;
  }));
  std::this_thread::sleep_for(300ms);  // their members' keys
  a.reset();
  int of_b = 0;
  for (const std::string& cluster : clusters) {
    ASSERT_TRUE(Eventually([&] {
      return b->Leads(cluster) || c->Leads(cluster);
    })) << cluster;
    if (b->Leads(cluster)) ++of_b;
  }
  EXPECT_GT(of_b, 3);
  EXPECT_LT(of_b, 21);
}

TEST_F(EtcdLeadershipTest, ADaemonWithAnotherMachineIsNamed) {
  const auto a = Join("unix:///a");
  const auto b = Join("unix:///b");
  Candidate other(SharedEtcd().address(), keys_, "unix:///c", 2);
  const auto warnings_of = [](Candidate& candidate) {
    return candidate.leadership().Warnings();
  };
  ASSERT_TRUE(Eventually([&] { return !warnings_of(*a).empty(); }));
  EXPECT_THAT(warnings_of(*a),
              ::testing::ElementsAre(
                  "machine: coolspand at unix:///c has another machine file "
                  "(expected the same for each daemon)"));
  ASSERT_TRUE(Eventually([&] { return warnings_of(other).size() == 2; }));
  EXPECT_TRUE(Eventually([&] { return a->Logged("differs") == 1; }));
}

TEST_F(EtcdLeadershipTest, AnEndpointOfTwoDaemonsIsNamed) {
  const auto a = Join("unix:///a");
  const auto members = [&a] { return a->leadership().Warnings(); };
  ASSERT_TRUE(a->Claim("c").ok());
  EXPECT_THAT(members(), ::testing::IsEmpty());
  auto second = Join("unix:///a");
  ASSERT_TRUE(Eventually([&] { return !members().empty(); }));
  EXPECT_THAT(members(),
              ::testing::ElementsAre(
                  "state.advertise: another daemon has unix:///a too (expected "
                  "a different endpoint for each daemon)"));
}

// Such as keys that were copied from another etcd: they have no lease.
TEST_F(EtcdLeadershipTest, AKeyWithoutALeaseIsNoLeaderAndNoMember) {
  const auto a = Join("unix:///a");
  ASSERT_TRUE(a->Claim("c").ok());
  ASSERT_TRUE(a->Write(SyncOf("c")).ok());
  const std::uint64_t term = a->TenureOf("c")->term();
  for (const std::string& key :
       {keys_.LeaderOf("c"), keys_.LeaderOf("d"), keys_.Member("unix:///b")}) {
    etcdserverpb::TxnRequest request;
    auto& put = *request.add_success()->mutable_request_put();
    put.set_key(key);
    put.set_value("unix:///b");
    ASSERT_TRUE(a->client().Txn(request).ok());
  }
  ASSERT_TRUE(Eventually([&] {
    const auto tenure = a->TenureOf("c");
    return tenure != nullptr && tenure->term() > term && a->Leads("c");
  }));
  EXPECT_EQ(a->StoredOf("c")->holdings.size(), 1u);
  EXPECT_TRUE(a->Claim("d").ok());
  EXPECT_GE(a->Logged("invalid"), 2);
  EXPECT_THAT(a->leadership().Warnings(), ::testing::IsEmpty());
}

TEST_F(EtcdLeadershipTest, AResignedClusterIsFree) {
  const auto a = Join("unix:///a");
  const auto b = Join("unix:///b");
  ASSERT_TRUE(a->Claim("c").ok());
  a->leadership().Resign("c");
  ASSERT_TRUE(Eventually([&] { return b->Claim("c").ok(); }));
}

// As a daemon that is cut off, or whose etcd is down.
TEST_F(EtcdLeadershipTest, WithoutEtcdALeaderStopsBeforeItsLeaseEnds) {
  RunningEtcd etcd;
  Candidate a(etcd.address(), keys_, "unix:///a");
  const auto tenure = a.Claim("c");
  ASSERT_TRUE(tenure.ok()) << tenure.status();
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  const auto stopped = steady_clock::now();
  etcd.Signal(0, SIGSTOP);
  ASSERT_TRUE(Eventually([&] { return !(*tenure)->IsCurrent(); }));
  EXPECT_LT(steady_clock::now() - stopped, 1000ms) << "a lease of 1 s";
  EXPECT_TRUE(LeaderNamedIn(a.leadership().Check("c")).has_value());
  etcd.Signal(0, SIGCONT);
  EXPECT_TRUE(Eventually([&] { return a.Leads("c"); }));
}

TEST_F(EtcdLeadershipTest, AHungEtcdDoesNotDelayTheEnd) {
  RunningEtcd etcd;
  auto a = std::make_unique<Candidate>(etcd.address(), keys_, "unix:///a");
  ASSERT_TRUE(a->Claim("c").ok());
  etcd.Signal(0, SIGSTOP);
  std::this_thread::sleep_for(100ms);
  const auto start = steady_clock::now();
  a.reset();
  EXPECT_LT(steady_clock::now() - start, 2500ms);
  etcd.Signal(0, SIGCONT);
}

TEST_F(EtcdLeadershipTest, AMemberOfEtcdMayFail) {
  RunningEtcd etcd({.members = 3});
  Candidate a(etcd.address(), keys_, "unix:///a");
  ASSERT_TRUE(a.Claim("c").ok());
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  for (std::size_t member = 0; member < 3; ++member) {
    etcd.Signal(member, SIGKILL);
    LedgerChange change;
    change.cluster = "c";
    change.held = {HoldingOf(7, "n3")};
    ASSERT_TRUE(Eventually([&] {
      return a.Leads("c") && a.Write(change).ok();
    })) << member;
    etcd.Start(member);
    etcd.WaitUntilItAnswers();
  }
}

TEST_F(EtcdLeadershipTest, ADrainedDaemonGivesItsClustersUpAndSaysSo) {
  const auto a = Join("unix:///a");
  ASSERT_TRUE(a->Claim("c").ok());
  ASSERT_TRUE(a->Write(SyncOf("c")).ok());
  const auto tenure = a->TenureOf("c");
  a->leadership().Abstain(true);
  EXPECT_TRUE(tenure->is_over());
  for (const std::string cluster : {"c", "never synced"}) {
    const auto start = steady_clock::now();
    const auto claimed = a->Claim(cluster);
    EXPECT_LT(steady_clock::now() - start, 500ms) << "it waited";
    for (const absl::Status& status :
         {claimed.status(), a->leadership().Check(cluster)}) {
      EXPECT_TRUE(IsDrainedError(status)) << status;
      EXPECT_EQ(LeaderNamedIn(status), "");
      EXPECT_THAT(std::string(status.message()),
                  ::testing::HasSubstr("this daemon is drained"));
    }
  }
  {
    const auto b = Join("unix:///b");
    ASSERT_TRUE(Eventually([&] { return b->Leads("c"); }));
    ASSERT_TRUE(Eventually([&] {
      return LeaderNamedIn(a->leadership().Check("c")) == "unix:///b";
    }));
    EXPECT_FALSE(IsDrainedError(a->Claim("c").status()));
  }
  a->leadership().Abstain(false);
  EXPECT_TRUE(Eventually([&] { return a->Leads("c"); }));
  EXPECT_FALSE(tenure->IsCurrent());
}

TEST_F(EtcdLeadershipTest, AClaimInFlightDoesNotMakeADrainedDaemonLead) {
  RunningEtcd etcd;
  Candidate a(etcd.address(), keys_, "unix:///a");
  ASSERT_TRUE(a.Claim("other").ok());
  etcd.Signal(0, SIGSTOP);
  absl::Status claimed;
  std::thread claiming([&] { claimed = a.Claim("c").status(); });
  std::this_thread::sleep_for(100ms);
  a.leadership().Abstain(true);
  etcd.Signal(0, SIGCONT);
  claiming.join();
  EXPECT_TRUE(IsDrainedError(claimed)) << claimed;
  Candidate b(etcd.address(), keys_, "unix:///b");
  ASSERT_TRUE(Eventually([&] { return b.Claim("c").ok(); }));
  EXPECT_EQ(a.TenureOf("c"), nullptr);
  EXPECT_TRUE(Eventually(
      [&] { return LeaderNamedIn(a.leadership().Check("c")) == "unix:///b"; }));
}

TEST_F(EtcdLeadershipTest, AnEtcdThatIsSetUpAnewIsNoticed) {
  RunningEtcd etcd;
  Candidate a(etcd.address(), keys_, "unix:///a");
  Candidate b(etcd.address(), keys_, "unix:///b");
  // More revisions than the new one will have for a while.
  for (int i = 0; i < 300; ++i) ElectFor(a.client(), keys_, "other");
  const auto tenure = a.Claim("c");
  ASSERT_TRUE(tenure.ok()) << tenure.status();
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  ASSERT_TRUE(Eventually([&] { return b.leadership().Read("c").ok(); }));
  etcd.Restart(RunningEtcd::Stored::kRemoved);
  ASSERT_TRUE(Eventually(
      [&] { return (*tenure)->is_over() && a.TenureOf("c") == nullptr; }));
  ASSERT_TRUE(Eventually([&] { return !b.leadership().Read("c").ok(); }))
      << "what was there is not shown";
  // When it has been loaded.
  EXPECT_TRUE(Eventually([&] { return a.Logged("given up") == 1; }));
  ASSERT_TRUE(Eventually([&] { return a.Claim("c").ok(); }));
  EXPECT_LT(a.TenureOf("c")->term(), (*tenure)->term());
  EXPECT_FALSE(a.StoredOf("c").has_value());
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  ASSERT_TRUE(Eventually([&] {
    return LeaderNamedIn(b.leadership().Check("c")) == "unix:///a" &&
           b.leadership().Read("c").ok();
  }));
  EXPECT_FALSE(b.leadership().Read("c")->is_incomplete);
}

// With the leader keys of then, whose leases may be those of now.
TEST_F(EtcdLeadershipTest, AnEtcdThatIsRestoredFromABackupIsNoticed) {
  RunningEtcd etcd;
  Candidate a(etcd.address(), keys_, "unix:///a");
  const auto tenure = a.Claim("c");
  ASSERT_TRUE(tenure.ok()) << tenure.status();
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  etcd.Restart(RunningEtcd::Stored::kSaved);
  ASSERT_TRUE(Eventually([&] { return a.Leads("c"); }));
  LedgerChange change;
  change.cluster = "c";
  change.held = {HoldingOf(7, "n3")};
  ASSERT_TRUE(Eventually([&] { return a.Write(change).ok(); }));
  for (int i = 0; i < 300; ++i) ElectFor(a.client(), keys_, "other");
  const auto before = a.TenureOf("c");
  ASSERT_NE(before, nullptr);
  etcd.Restart(RunningEtcd::Stored::kRestored);
  ASSERT_TRUE(Eventually([&] { return before->is_over(); }));
  ASSERT_TRUE(Eventually([&] {
    const auto now = a.TenureOf("c");
    return now != nullptr && now != before && a.Leads("c");
  }));
  ASSERT_TRUE(a.StoredOf("c").has_value());
  EXPECT_EQ(a.StoredOf("c")->holdings.size(), 1u) << "as in the backup";
  EXPECT_TRUE(a.StoredOf("c")->is_incomplete) << "no decisions before a Sync";
  ASSERT_TRUE(Eventually([&] { return a.Write(SyncOf("c")).ok(); }));
  EXPECT_TRUE(Eventually([&] {
    const auto read = a.leadership().Read("c");
    return read.ok() && !read->is_incomplete;
  }));
}

// It was cut off meanwhile, and the others went on.
TEST_F(EtcdLeadershipTest, AfterACompactionAllIsLoadedAgain) {
  TcpProxy proxy(PortOf(SharedEtcd()));
  Candidate a(SharedEtcd().address(), keys_, "unix:///a");
  Candidate b({{proxy.endpoint()}, {}}, keys_, "unix:///b");
  ASSERT_TRUE(a.Claim("c").ok());
  ASSERT_TRUE(b.Claim("d").ok());
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  ASSERT_TRUE(a.Write(SyncOf("c")).ok());
  ASSERT_TRUE(Eventually([&] { return b.leadership().Read("c").ok(); }));
  proxy.Cut();
  std::this_thread::sleep_for(50ms);
  LedgerChange change;
  change.cluster = "c";
  change.held = {HoldingOf(7, "n3")};
  ASSERT_TRUE(a.Write(change).ok());
  Compact(ElectFor(a.client(), keys_, "other"));
  proxy.Restore();
  ASSERT_TRUE(Eventually([&] {
    const auto read = b.leadership().Read("c");
    return read.ok() && read->holdings.size() == 2;
  }));
  EXPECT_FALSE(b.leadership().Read("c")->is_incomplete)
      << "it is the same etcd";
  EXPECT_EQ(b.Logged("given up"), 0);
  EXPECT_TRUE(Eventually([&] { return b.Claim("d").ok(); }));
}

TEST(ClaimOrderTest, EachMemberIsFirstForAThirdOfTheClusters) {
  const std::vector<std::string> members = {"ipv4:h1:7070", "ipv4:h2:7070",
                                            "ipv4:h3:7070"};
  std::map<std::string, int> first;
  for (int i = 0; i < 3000; ++i) {
    ++first[ClaimOrder(members, "cluster" + std::to_string(i)).front()];
  }
  for (const std::string& member : members) {
    EXPECT_NEAR(first[member], 1000, 150) << member;
  }
}

}  // namespace
}  // namespace coolspan
