// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/etcd_leadership.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "coolspan/v1/stored.pb.h"
#include "core/stable_hash.h"
#include "etcd/etcd_mirror.h"
#include "etcd/lease_keeper.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStepInterval{50};
// Between the claims of one daemon and the next in order.
constexpr milliseconds kClaimDelay{250};
constexpr int kMaxTurn = 4;
constexpr milliseconds kClaimRetry{100};

// FNV alone does not mix its last bytes into the high bits.
std::uint64_t Mixed(std::uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdU;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53U;
  return hash ^ hash >> 33;
}

std::uint64_t WeightOf(const std::string& member, const std::string& cluster) {
  StableHash hash;
  hash.Add(member);
  hash.Add(cluster);
  return Mixed(hash.value());
}

std::string MemberValue(const ElectionSetting& setting) {
  v1::StoredMember member;
  member.set_machine_fingerprint(setting.machine_fingerprint);
  return member.SerializeAsString();
}

class EtcdLeadership final : public Leadership {
 public:
  EtcdLeadership(EtcdClient& client, EtcdKeys keys, ElectionSetting setting)
      : client_(client), keys_(std::move(keys)), setting_(std::move(setting)) {}
  ~EtcdLeadership() override { Stop(); }

  void Start(Listener listener) override {
    listener_ = std::move(listener);
    mirror_ = std::make_unique<EtcdMirror>(
        client_, keys_, [this] { Wake(); },
        [this](const std::string& why) {
          setting_.log(true, "not followed", "", why);
        });
    keeper_ = std::make_unique<LeaseKeeper>(
        client_, setting_.lease, keys_.Member(setting_.endpoint),
        MemberValue(setting_), [this](bool is_held, const std::string& text) {
          setting_.log(!is_held, "lease", "", text);
          Wake();
        });
    thread_ = std::thread([this] { Run(); });
  }

  void Stop() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      for (const auto& [cluster, tenure] : led_) tenure->End();
    }
    changed_.notify_all();
    client_.Hurry();
    thread_.join();
    keeper_->Stop();
    client_.Stop();
    mirror_.reset();
  }

  absl::Status status() const override {
    if (mirror_ == nullptr) return absl::UnavailableError("starting");
    if (keeper_->lease().time->IsValid(Clock::now()) &&
        mirror_->revision() != 0) {
      return absl::OkStatus();
    }
    absl::Status why = keeper_->status();
    why.Update(mirror_->status());
    return absl::UnavailableError(why.ok() ? "starting" : why.message());
  }

  std::vector<std::string> Warnings() const override {
    std::vector<std::string> warnings;
    if (mirror_ == nullptr) return warnings;
    // A daemon that was killed finds the key of its last run for a while.
    const std::int64_t registered = keeper_->registered_revision();
    const bool is_known = registered != 0 && mirror_->revision() >= registered;
    const std::int64_t lease = keeper_->lease().id;
    for (const EtcdMirror::Member& member : mirror_->Members()) {
      if (member.lease == lease) continue;
      if (member.endpoint == setting_.endpoint) {
        if (!is_known) continue;
        warnings.push_back(fmt::format(
            "state.advertise: another daemon has {} too (expected a different "
            "endpoint for each daemon)",
            member.endpoint));
      } else if (member.machine_fingerprint.has_value() &&
                 *member.machine_fingerprint != setting_.machine_fingerprint) {
        warnings.push_back(
            fmt::format("machine: coolspand at {} has another machine file "
                        "(expected the same for each daemon)",
                        member.endpoint));
      }
    }
    return warnings;
  }

  absl::Status Check(const std::string& cluster) const override {
    {
      const std::lock_guard lock(mutex_);
      const auto led = led_.find(cluster);
      if (led != led_.end() && led->second->IsCurrent()) {
        return absl::OkStatus();
      }
    }
    if (mirror_ == nullptr) return NotLeaderError(cluster, "", "starting");
    const auto leader = mirror_->LeaderOf(cluster);
    if (leader.has_value() && leader->lease != keeper_->lease().id) {
      return NotLeaderError(cluster, leader->endpoint);
    }
    if (abstains_) return DrainedError(cluster);
    const LeaseKeeper::Lease lease = keeper_->lease();
    if (!lease.time->IsValid(Clock::now()) || mirror_->revision() == 0) {
      absl::Status why = keeper_->status();
      why.Update(mirror_->status());
      return NotLeaderError(cluster, "", std::string(why.message()));
    }
    if (leader.has_value() || mirror_->HasCluster(cluster)) {
      return NotLeaderError(cluster, "", "an election is in progress");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::shared_ptr<Tenure>> Claim(
      const std::string& cluster, Clock::time_point until) override {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        const auto led = led_.find(cluster);
        if (led != led_.end() && led->second->IsCurrent()) return led->second;
      }
      if (mirror_ == nullptr) return NotLeaderError(cluster, "", "starting");
      const auto leader = mirror_->LeaderOf(cluster);
      if (leader.has_value() && leader->lease != keeper_->lease().id) {
        return NotLeaderError(cluster, leader->endpoint);
      }
      if (abstains_) return DrainedError(cluster);
      if (Clock::now() >= until) break;
      if (!leader.has_value() && mirror_->revision() > 0) TryClaim(cluster);
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, std::min(until, Clock::now() + kClaimRetry));
      if (is_stopping_) break;
    }
    absl::Status status = Check(cluster);
    return status.ok() ? NotLeaderError(cluster, "", "the election takes long")
                       : status;
  }

  void Abstain(bool abstains) override {
    const std::lock_guard lock(mutex_);
    abstains_ = abstains;
    if (!abstains) return;
    for (const auto& [cluster, tenure] : led_) {
      tenure->End();
      resigned_[cluster] = tenure->term();
    }
    changed_.notify_all();
  }

  void Resign(const std::string& cluster) override {
    const std::lock_guard lock(mutex_);
    const auto led = led_.find(cluster);
    if (led == led_.end()) return;
    led->second->End();
    resigned_[cluster] = led->second->term();
    changed_.notify_all();
  }

  std::vector<Known> ListClusters() const override {
    std::vector<Known> known;
    if (mirror_ == nullptr) return known;
    const std::int64_t lease = keeper_->lease().id;
    for (const auto& [cluster, version] : mirror_->Clusters()) {
      auto leader = mirror_->LeaderOf(cluster);
      // This daemon leads it in a moment, or has just given it up.
      if (leader.has_value() && leader->lease == lease) leader.reset();
      known.push_back(
          {cluster, leader.has_value() ? leader->endpoint : "", version});
    }
    return known;
  }

  absl::StatusOr<StoredCluster> Read(
      const std::string& cluster) const override {
    if (mirror_ == nullptr) return absl::NotFoundError("etcd: not started");
    auto stored = mirror_->Read(cluster);
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) {
      return absl::NotFoundError("etcd: no such cluster");
    }
    return **std::move(stored);
  }

 private:
  void Wake() {
    {
      // Not between a waiter's test of its condition and its wait.
      const std::lock_guard lock(mutex_);
    }
    changed_.notify_all();
  }

  void Run() {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (is_stopping_) return;
      }
      const std::uint64_t history = mirror_->history();
      if (history != history_) EndAll();
      EndLost();
      if (std::exchange(history_, history) != history) StartAnew();
      DeleteResigned();
      BeginElected();
      DeleteStrays();
      ClaimOrphans();
      LogWarnings();
      std::unique_lock lock(mutex_);
      if (is_stopping_) return;
      changed_.wait_for(lock, kStepInterval);
    }
  }

  // Of each warning, once while it lasts.
  void LogWarnings() {
    std::vector<std::string> warnings = Warnings();
    for (const std::string& warning : warnings) {
      if (std::ranges::find(logged_warnings_, warning) ==
          logged_warnings_.end()) {
        setting_.log(true, "differs", "", warning);
      }
    }
    logged_warnings_ = std::move(warnings);
  }

  // etcd was set up anew, or restored from a backup.
  void EndAll() {
    const std::lock_guard lock(mutex_);
    for (const auto& [cluster, tenure] : led_) tenure->End();
  }

  // Its revisions begin again. Leader keys of this daemon may be from the
  // backup, so that their terms are not new.
  void StartAnew() {
    const LeaseKeeper::Lease lease = keeper_->lease();
    const auto leaders = mirror_->Leaders();
    if (mirror_->revision() > 0) {
      setting_.log(true, "given up", "",
                   "etcd was set up anew or restored from a backup");
    }
    const std::lock_guard lock(mutex_);
    ended_terms_.clear();
    resigned_.clear();
    for (const EtcdMirror::LeaderKey& leader : leaders) {
      if (leader.lease != lease.id) continue;
      ended_terms_[leader.cluster] = leader.term;
      resigned_[leader.cluster] = leader.term;
    }
  }

  // Tenures that are over, by what is known here.
  void EndLost() {
    const LeaseKeeper::Lease lease = keeper_->lease();
    const auto revision = static_cast<std::uint64_t>(mirror_->revision());
    std::vector<std::string> lost;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [cluster, tenure] : led_) {
        const auto leader = mirror_->LeaderOf(cluster);
        const bool is_replaced =
            revision >= tenure->term() &&
            (!leader.has_value() || leader->term != tenure->term());
        const bool is_other_lease = lease_of_.at(cluster) != lease.id;
        if (is_replaced || is_other_lease) tenure->End();
        if (!tenure->is_over()) continue;
        ended_terms_[cluster] = tenure->term();
        // The store has refused a write: nobody else can claim it yet.
        if (!is_replaced && !is_other_lease && leader.has_value()) {
          resigned_[cluster] = tenure->term();
        }
        lost.push_back(cluster);
      }
      for (const std::string& cluster : lost) {
        led_.erase(cluster);
        lease_of_.erase(cluster);
      }
    }
    for (const std::string& cluster : lost) {
      setting_.log(false, "lost", cluster, "");
      listener_.lost(cluster);
    }
  }

  void DeleteResigned() {
    std::map<std::string, std::uint64_t> resigned;
    {
      const std::lock_guard lock(mutex_);
      resigned.swap(resigned_);
    }
    for (const auto& [cluster, term] : resigned) {
      etcdserverpb::TxnRequest request;
      auto& compare = *request.add_compare();
      compare.set_result(etcdserverpb::Compare::EQUAL);
      compare.set_target(etcdserverpb::Compare::CREATE);
      compare.set_key(keys_.LeaderOf(cluster));
      compare.set_create_revision(static_cast<std::int64_t>(term));
      request.add_success()->mutable_request_delete_range()->set_key(
          keys_.LeaderOf(cluster));
      if (client_.Txn(request).ok()) continue;
      const std::lock_guard lock(mutex_);
      resigned_.emplace(cluster, term);
    }
  }

  // Keys that were copied from another etcd have no lease: their clusters would
  // have no leader for ever.
  void DeleteStrays() {
    if (mirror_->revision() == 0) return;
    for (const EtcdMirror::StrayKey& stray : mirror_->StrayLeaders()) {
      etcdserverpb::TxnRequest request;
      auto& compare = *request.add_compare();
      compare.set_result(etcdserverpb::Compare::EQUAL);
      compare.set_target(etcdserverpb::Compare::MOD);
      compare.set_key(stray.key);
      compare.set_mod_revision(stray.mod_revision);
      request.add_success()->mutable_request_delete_range()->set_key(stray.key);
      const auto response = client_.Txn(request);
      if (!response.ok() || !response->succeeded()) continue;
      setting_.log(true, "invalid", "",
                   stray.key + ": a leader without a lease; deleted");
    }
  }

  // The mirror has the leader key of this daemon, and thus all that earlier
  // leaders have written; they can write no more.
  void BeginElected() {
    const LeaseKeeper::Lease lease = keeper_->lease();
    if (lease.id == 0 || mirror_->revision() == 0) return;
    for (const EtcdMirror::LeaderKey& leader : mirror_->Leaders()) {
      if (leader.lease != lease.id) continue;
      {
        const std::lock_guard lock(mutex_);
        if (led_.contains(leader.cluster)) continue;
        const auto ended = ended_terms_.find(leader.cluster);
        if (ended != ended_terms_.end() && ended->second >= leader.term) {
          continue;
        }
        // Claimed before this daemon was drained.
        if (abstains_) {
          ended_terms_[leader.cluster] = leader.term;
          resigned_[leader.cluster] = leader.term;
          continue;
        }
      }
      auto stored = mirror_->Read(leader.cluster);
      if (!stored.ok()) {
        setting_.log(true, "invalid", leader.cluster,
                     std::string(stored.status().message()));
        stored = std::optional<StoredCluster>();
      }
      const auto tenure = std::make_shared<Tenure>(leader.term, lease.time);
      setting_.log(false, "elected", leader.cluster,
                   "term " + std::to_string(leader.term));
      listener_.elected(leader.cluster, tenure, *std::move(stored));
      {
        const std::lock_guard lock(mutex_);
        led_[leader.cluster] = tenure;
        lease_of_[leader.cluster] = lease.id;
        if (is_stopping_) tenure->End();
        if (abstains_) {
          tenure->End();
          resigned_[leader.cluster] = leader.term;
        }
      }
      changed_.notify_all();
    }
  }

  void ClaimOrphans() {
    if (mirror_->revision() == 0) return;
    std::map<std::string, Clock::time_point> orphans;
    const auto now = Clock::now();
    std::vector<std::string> members;
    for (const EtcdMirror::Member& member : mirror_->Members()) {
      members.push_back(member.endpoint);
    }
    for (const auto& [cluster, version] : mirror_->Clusters()) {
      if (mirror_->LeaderOf(cluster).has_value()) continue;
      const auto known = orphan_since_.find(cluster);
      const auto since = known == orphan_since_.end() ? now : known->second;
      orphans[cluster] = since;
      const auto order = ClaimOrder(members, cluster);
      const auto own = std::find(order.begin(), order.end(), setting_.endpoint);
      const auto turn =
          std::min(static_cast<int>(own - order.begin()), kMaxTurn);
      if (now - since >= turn * kClaimDelay) TryClaim(cluster);
    }
    orphan_since_.swap(orphans);
  }

  // Whether it has succeeded is learned from the mirror.
  void TryClaim(const std::string& cluster) {
    const LeaseKeeper::Lease lease = keeper_->lease();
    if (abstains_ || !lease.time->IsValid(Clock::now())) return;
    etcdserverpb::TxnRequest request;
    auto& compare = *request.add_compare();
    compare.set_result(etcdserverpb::Compare::EQUAL);
    compare.set_target(etcdserverpb::Compare::CREATE);
    compare.set_key(keys_.LeaderOf(cluster));
    compare.set_create_revision(0);
    auto& put = *request.add_success()->mutable_request_put();
    put.set_key(keys_.LeaderOf(cluster));
    put.set_value(setting_.endpoint);
    put.set_lease(lease.id);
    client_.Txn(request).IgnoreError();
  }

  EtcdClient& client_;
  const EtcdKeys keys_;
  const ElectionSetting setting_;
  Listener listener_;
  std::unique_ptr<EtcdMirror> mirror_;
  std::unique_ptr<LeaseKeeper> keeper_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::atomic<bool> abstains_ = false;
  std::map<std::string, std::shared_ptr<Tenure>> led_;     // by cluster
  std::map<std::string, std::int64_t> lease_of_;           // as led_
  std::map<std::string, std::uint64_t> ended_terms_;       // the last ones
  std::map<std::string, std::uint64_t> resigned_;          // terms
  std::map<std::string, Clock::time_point> orphan_since_;  // thread_'s
  std::uint64_t history_ = 0;                 // thread_'s: EtcdMirror::history
  std::vector<std::string> logged_warnings_;  // thread_'s
  std::thread thread_;
};

}  // namespace

std::vector<std::string> ClaimOrder(std::vector<std::string> members,
                                    const std::string& cluster) {
  std::sort(members.begin(), members.end(),
            [&](const std::string& a, const std::string& b) {
              return std::pair(WeightOf(a, cluster), a) >
                     std::pair(WeightOf(b, cluster), b);
            });
  return members;
}

std::unique_ptr<Leadership> MakeEtcdLeadership(EtcdClient& client,
                                               EtcdKeys keys,
                                               ElectionSetting setting) {
  return std::make_unique<EtcdLeadership>(client, std::move(keys),
                                          std::move(setting));
}

}  // namespace coolspan
