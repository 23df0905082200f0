// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/etcd_mirror.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "coolspan/v1/stored.pb.h"
#include "etcd/stored_values.h"

namespace coolspan {
namespace {

constexpr std::chrono::milliseconds kRetryPause{100};

}  // namespace

EtcdMirror::EtcdMirror(EtcdClient& client, EtcdKeys keys,
                       std::function<void()> on_change,
                       std::function<void(const std::string&)> on_failure)
    : client_(client),
      keys_(std::move(keys)),
      on_change_(std::move(on_change)),
      on_failure_(std::move(on_failure)),
      thread_([this] { Run(); }) {}

EtcdMirror::~EtcdMirror() {
  is_stopping_ = true;
  thread_.join();
}

void EtcdMirror::Run() {
  while (!is_stopping_) {
    absl::Status status;
    if (revision() == 0) status = Load();
    if (status.ok()) status = Follow();
    if (!status.ok() && !is_stopping_ && !std::exchange(is_failing_, true)) {
      on_failure_(std::string(status.message()));
    }
    {
      const std::lock_guard lock(mutex_);
      status_ = std::move(status);
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

EtcdMirror::Entry EtcdMirror::EntryOf(const mvccpb::KeyValue& pair) {
  return {pair.value(), pair.create_revision(), pair.mod_revision(),
          pair.lease()};
}

absl::Status EtcdMirror::Load() {
  std::map<std::string, mvccpb::KeyValue> pairs;
  const auto revision = client_.RangeAll(
      keys_.prefix(), RangeEndOf(keys_.prefix()),
      [&](const mvccpb::KeyValue& pair) { pairs[pair.key()] = pair; });
  if (!revision.ok()) return revision.status();
  {
    const std::lock_guard lock(mutex_);
    if (is_other_ || (known_revision_ > 0 && !Continues(pairs, *revision))) {
      ++history_;
      doubted_revision_ = *revision;
    }
    is_other_ = false;
    entries_.clear();
    versions_.clear();
    for (const auto& [key, pair] : pairs) Put(pair);
    revision_ = *revision;
    known_revision_ = revision_;
  }
  on_change_();
  return absl::OkStatus();
}

bool EtcdMirror::Continues(const std::map<std::string, mvccpb::KeyValue>& pairs,
                           std::int64_t revision) const {
  if (revision < known_revision_) return false;
  bool is_witnessed = entries_.empty();
  for (const auto& [key, pair] : pairs) {
    if (pair.mod_revision() > known_revision_) continue;
    const auto known = entries_.find(key);
    if (known == entries_.end() || known->second != EntryOf(pair)) return false;
    is_witnessed = true;
  }
  return is_witnessed;
}

absl::StatusOr<EtcdMirror::Continuity> EtcdMirror::Compare() {
  etcdserverpb::RangeRequest request;
  std::optional<Entry> newest;
  {
    const std::lock_guard lock(mutex_);
    request.set_key(keys_.prefix());
    request.set_revision(revision_);
    for (const auto& [key, entry] : entries_) {
      if (newest && newest->mod_revision > entry.mod_revision) continue;
      newest = entry;
      request.set_key(key);
    }
  }
  // A linearizable read: no member answers it that lags behind.
  const auto response = client_.Range(request);
  if (absl::IsOutOfRange(response.status())) return Continuity::kUnknown;
  if (!response.ok()) return response.status();
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = response->header().cluster_id();
  const std::uint64_t known = std::exchange(cluster_id_, id);
  if (known != 0 && known != id) return Continuity::kOther;
  if (!newest.has_value()) return Continuity::kSame;
  const bool is_same =
      response->kvs_size() == 1 && EntryOf(response->kvs(0)) == *newest;
  return is_same ? Continuity::kSame : Continuity::kOther;
}

absl::Status EtcdMirror::Follow() {
  const auto continuity = Compare();
  if (!continuity.ok()) return continuity.status();
  if (*continuity != Continuity::kSame) {
    {
      const std::lock_guard lock(mutex_);
      revision_ = 0;
      if (*continuity == Continuity::kOther) {
        is_other_ = true;
        ++history_;
        entries_.clear();
        versions_.clear();
      }
    }
    on_change_();
    return absl::OkStatus();
  }
  return client_.Watch(
      keys_.prefix(), RangeEndOf(keys_.prefix()), revision() + 1,
      [this](const etcdserverpb::WatchResponse& response) {
        is_failing_ = false;
        {
          const std::lock_guard lock(mutex_);
          status_ = absl::OkStatus();
          if (response.canceled()) {
            // What happened meanwhile is not known any more.
            revision_ = 0;
            return false;
          }
          // By a member that lags behind, or of another etcd: to be compared.
          if (response.header().cluster_id() != cluster_id_ ||
              response.header().revision() < revision_) {
            return false;
          }
          if (response.events_size() == 0) return !is_stopping_.load();
          // The header's revision may be ahead of the events: more will come.
          for (const mvccpb::Event& event : response.events()) {
            Apply(event);
            revision_ = std::max(revision_, event.kv().mod_revision());
          }
          known_revision_ = revision_;
        }
        on_change_();
        return !is_stopping_.load();
      });
}

void EtcdMirror::Apply(const mvccpb::Event& event) {
  if (event.type() == mvccpb::Event::PUT) {
    Put(event.kv());
    return;
  }
  entries_.erase(event.kv().key());
  NoteVersion(event.kv().key(), event.kv().mod_revision());
}

void EtcdMirror::Put(const mvccpb::KeyValue& pair) {
  entries_.insert_or_assign(pair.key(), EntryOf(pair));
  NoteVersion(pair.key(), pair.mod_revision());
}

void EtcdMirror::NoteVersion(const std::string& key, std::int64_t revision) {
  const std::string start = keys_.Clusters();
  if (!key.starts_with(start)) return;
  const std::size_t slash = key.find('/', start.size());
  if (slash == std::string::npos) return;
  const std::string folder = key.substr(0, slash + 1);
  const auto left = entries_.lower_bound(folder);
  const std::string encoded = key.substr(start.size(), slash - start.size());
  if (left == entries_.end() || !left->first.starts_with(folder)) {
    versions_.erase(encoded);
    return;
  }
  std::uint64_t& version = versions_[encoded];
  version = std::max(version, static_cast<std::uint64_t>(revision));
}

std::int64_t EtcdMirror::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

std::uint64_t EtcdMirror::history() const {
  const std::lock_guard lock(mutex_);
  return history_;
}

absl::Status EtcdMirror::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<EtcdMirror::LeaderKey> EtcdMirror::LeaderAt(
    const std::string& key, const Entry& entry) const {
  const auto cluster =
      DecodeName(std::string_view(key).substr(keys_.Leaders().size()));
  if (!cluster.has_value() || entry.lease == 0) return std::nullopt;
  return LeaderKey{*cluster, entry.value,
                   static_cast<std::uint64_t>(entry.create_revision),
                   entry.lease};
}

template <typename Visit>
void EtcdMirror::VisitBelow(const std::string& folder,
                            const Visit& visit) const {
  for (auto entry = entries_.lower_bound(folder);
       entry != entries_.end() && entry->first.starts_with(folder); ++entry) {
    visit(entry->first, entry->second);
  }
}

std::vector<EtcdMirror::LeaderKey> EtcdMirror::Leaders() const {
  std::vector<LeaderKey> leaders;
  const std::lock_guard lock(mutex_);
  VisitBelow(keys_.Leaders(), [&](const std::string& key, const Entry& entry) {
    if (auto leader = LeaderAt(key, entry)) {
      leaders.push_back(*std::move(leader));
    }
  });
  return leaders;
}

std::optional<EtcdMirror::LeaderKey> EtcdMirror::LeaderOf(
    const std::string& cluster) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(keys_.LeaderOf(cluster));
  if (entry == entries_.end()) return std::nullopt;
  return LeaderAt(entry->first, entry->second);
}

std::vector<EtcdMirror::StrayKey> EtcdMirror::StrayLeaders() const {
  std::vector<StrayKey> strays;
  const std::lock_guard lock(mutex_);
  VisitBelow(keys_.Leaders(), [&](const std::string& key, const Entry& entry) {
    if (entry.lease == 0) strays.push_back({key, entry.mod_revision});
  });
  return strays;
}

std::vector<EtcdMirror::Member> EtcdMirror::Members() const {
  const std::string folder = keys_.Members();
  std::vector<Member> members;
  const std::lock_guard lock(mutex_);
  VisitBelow(folder, [&](const std::string& key, const Entry& entry) {
    auto endpoint = DecodeName(std::string_view(key).substr(folder.size()));
    if (!endpoint.has_value() || entry.lease == 0) return;
    v1::StoredMember stored;
    const bool is_valid = stored.ParseFromString(entry.value);
    members.push_back({*std::move(endpoint), entry.lease,
                       is_valid ? std::optional(stored.machine_fingerprint())
                                : std::nullopt});
  });
  return members;
}

std::vector<EtcdMirror::ClusterVersion> EtcdMirror::Clusters() const {
  std::vector<ClusterVersion> clusters;
  const std::lock_guard lock(mutex_);
  for (const auto& [encoded, version] : versions_) {
    if (const auto name = DecodeName(encoded)) {
      clusters.push_back({*name, version});
    }
  }
  return clusters;
}

bool EtcdMirror::HasCluster(const std::string& cluster) const {
  const std::lock_guard lock(mutex_);
  return versions_.contains(EncodeName(cluster));
}

absl::StatusOr<std::optional<StoredCluster>> EtcdMirror::Read(
    const std::string& cluster) const {
  const std::string root = keys_.Cluster(cluster);
  ClusterPairs pairs;
  bool is_doubted = false;
  {
    const std::lock_guard lock(mutex_);
    VisitBelow(root, [&](const std::string& key, const Entry& entry) {
      pairs.emplace(key.substr(root.size()), entry.value);
    });
    const auto sync = entries_.find(root + std::string(cluster_keys::kSync));
    is_doubted = doubted_revision_ > 0 &&
                 (sync == entries_.end() ||
                  sync->second.mod_revision <= doubted_revision_);
  }
  auto stored = ReadStoredCluster(cluster, pairs);
  if (is_doubted && stored.ok() && stored->has_value()) {
    (*stored)->is_incomplete = true;
  }
  return stored;
}

}  // namespace coolspan
