// SPDX-License-Identifier: GPL-3.0-or-later
#include "etcd/stored_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "coolspan/v1/stored.pb.h"
#include "core/hostlist.h"
#include "etcd/etcd_keys.h"
#include "state/units_text.h"

namespace coolspan {
namespace {

namespace keys = cluster_keys;

// Of a value; etcd refuses requests of more than 1.5 MiB.
constexpr std::size_t kMaxPartBytes = 1'000'000;

absl::Status Invalid(const std::string& cluster, std::string_view key) {
  return absl::DataLossError(fmt::format("etcd: clusters/{}/{}: invalid value",
                                         EncodeName(cluster), EncodeName(key)));
}

v1::StoredJob Encode(const StoredHolding& holding) {
  v1::StoredJob job;
  job.set_job_id(holding.job.job_id);
  job.set_restart(holding.job.restart);
  job.set_attempt(holding.attempt);
  job.set_committed(holding.committed);
  job.set_whole(holding.whole);
  job.set_suspended(holding.suspended);
  job.set_disputed(holding.disputed);
  job.set_nodes(holding.nodes);
  job.set_units(FormatUnits(holding.units));
  job.set_contested(holding.contested);
  job.set_expires_ms(holding.expires_ms);
  job.set_decision_id(holding.decision_id);
  if (holding.communication_share.has_value()) {
    job.set_communication_share(*holding.communication_share);
  }
  job.set_expected_end_ms(holding.expected_end_ms);
  return job;
}

std::optional<StoredHolding> Decode(const v1::StoredJob& job) {
  StoredHolding holding;
  holding.job = {job.job_id(), job.restart()};
  holding.attempt = job.attempt();
  holding.committed = job.committed();
  holding.whole = job.whole();
  holding.suspended = job.suspended();
  holding.disputed = job.disputed();
  holding.nodes = job.nodes();
  auto units = ParseUnits(job.units());
  if (!units.has_value()) return std::nullopt;
  holding.units = *std::move(units);
  holding.contested = job.contested();
  holding.expires_ms = job.expires_ms();
  holding.decision_id = job.decision_id();
  if (job.has_communication_share()) {
    const float share = job.communication_share();
    if (!(share >= 0 && share <= 1)) return std::nullopt;
    holding.communication_share = share;
  }
  holding.expected_end_ms = job.expected_end_ms();
  return holding;
}

v1::StoredQueueMark Encode(const StoredQueue& queue) {
  v1::StoredQueueMark mark;
  mark.set_client_id(queue.client_id);
  mark.set_sequence(queue.sequence);
  mark.set_closed(queue.closed);
  return mark;
}

StoredQueue Decode(const v1::StoredQueueMark& mark) {
  return {mark.client_id(), mark.sequence(), mark.closed()};
}

v1::StoredRoster RosterOf(const StoredCluster& cluster) {
  v1::StoredRoster roster;
  roster.set_node_table(cluster.node_table);
  roster.set_capacity(FormatUnits(cluster.capacity));
  roster.set_last_sync_ms(cluster.last_sync_ms);
  roster.set_is_incomplete(cluster.is_incomplete);
  return roster;
}

bool Decode(const v1::StoredRoster& roster, StoredCluster& cluster) {
  auto capacity = ParseUnits(roster.capacity());
  if (!capacity.has_value()) return false;
  cluster.capacity = *std::move(capacity);
  cluster.node_table = roster.node_table();
  cluster.last_sync_ms = roster.last_sync_ms();
  cluster.is_incomplete = roster.is_incomplete();
  return true;
}

std::vector<std::string> SplitText(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size() || parts.empty();
       at += kMaxPartBytes) {
    parts.push_back(text.substr(at, kMaxPartBytes));
  }
  return parts;
}

// The values of the keys that begin with folder, together; except.
std::string JoinParts(const ClusterPairs& pairs, std::string_view folder) {
  std::string joined;
  for (auto pair = pairs.lower_bound(folder);
       pair != pairs.end() && pair->first.starts_with(folder); ++pair) {
    if (pair->first != keys::kRedoEnd) joined += pair->second;
  }
  return joined;
}

template <typename Number>
std::optional<Number> ParseDecimal(std::string_view text) {
  Number number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

template <typename Item, typename Key>
void Replace(std::vector<Item>& items, Item item, const Key& key_of) {
  const auto found = std::find_if(
      items.begin(), items.end(),
      [&](const Item& other) { return key_of(other) == key_of(item); });
  if (found == items.end()) {
    items.push_back(std::move(item));
  } else {
    *found = std::move(item);
  }
}

// The redo record counts, whatever of it is applied already.
void Apply(const LedgerChange& change, std::optional<StoredCluster>& cluster) {
  if (change.synced.has_value()) {
    StoredCluster next = *change.synced;
    if (cluster.has_value()) {
      next.mode = cluster->mode;
      next.heard_ms = cluster->heard_ms;
    }
    cluster = std::move(next);
  }
  if (!cluster.has_value()) return;
  const auto id = [](const StoredHolding& held) { return held.job.job_id; };
  for (const StoredHolding& held : change.held) {
    Replace(cluster->holdings, held, id);
  }
  std::erase_if(cluster->holdings, [&](const StoredHolding& held) {
    return std::find(change.gone.begin(), change.gone.end(), held.job.job_id) !=
           change.gone.end();
  });
  if (change.queue.has_value()) {
    Replace(cluster->queues, *change.queue,
            [](const StoredQueue& queue) { return queue.client_id; });
  }
  if (change.mode.has_value()) cluster->mode = *change.mode;
  if (change.heard_ms.has_value()) cluster->heard_ms = *change.heard_ms;
  if (change.is_incomplete) cluster->is_incomplete = true;
}

}  // namespace

absl::StatusOr<std::optional<StoredCluster>> ReadStoredCluster(
    const std::string& name, const ClusterPairs& pairs) {
  StoredCluster read;
  read.name = name;
  bool is_synced = false;
  for (const auto& [key, value] : pairs) {
    bool is_valid = true;
    if (key == keys::kSync) {
      v1::StoredRoster roster;
      is_valid = roster.ParseFromString(value);
      is_synced = true;
      read.last_sync_ms = roster.last_sync_ms();
      read.is_incomplete |= roster.is_incomplete();
    } else if (key.starts_with(keys::kJobs)) {
      v1::StoredJob job;
      is_valid = job.ParseFromString(value) && key == keys::Job(job.job_id());
      auto holding = is_valid ? Decode(job) : std::nullopt;
      is_valid = holding.has_value();
      if (is_valid) read.holdings.push_back(*std::move(holding));
    } else if (key.starts_with(keys::kQueues)) {
      v1::StoredQueueMark mark;
      is_valid =
          mark.ParseFromString(value) && key == keys::Queue(mark.client_id());
      read.queues.push_back(Decode(mark));
    } else if (key == keys::kMode) {
      read.mode = value;
    } else if (key == keys::kHeard) {
      const auto heard_ms = ParseDecimal<TimeMs>(value);
      is_valid = heard_ms.has_value();
      read.heard_ms = heard_ms.value_or(0);
    } else if (key == keys::kIncomplete) {
      read.is_incomplete = true;
    }
    if (!is_valid) return Invalid(name, key);
  }
  const std::string mode = read.mode;
  const TimeMs heard_ms = read.heard_ms;
  std::optional<StoredCluster> cluster;
  if (is_synced) {
    v1::StoredRoster roster;
    StoredCluster table;
    if (!roster.ParseFromString(JoinParts(pairs, keys::kTable)) ||
        !Decode(roster, table)) {
      return Invalid(name, keys::kTable);
    }
    read.node_table = std::move(table.node_table);
    read.capacity = std::move(table.capacity);
    cluster = std::move(read);
  }
  const auto redo = ReadRedo(name, pairs);
  if (!redo.ok()) return redo.status();
  if (redo->has_value()) {
    // Of a Sync that has begun to replace what was there.
    if (!cluster.has_value() && (*redo)->synced.has_value()) {
      cluster.emplace();
      cluster->mode = mode;
      cluster->heard_ms = heard_ms;
    }
    Apply(**redo, cluster);
  }
  if (!cluster.has_value()) return cluster;
  std::sort(cluster->holdings.begin(), cluster->holdings.end(),
            [](const StoredHolding& a, const StoredHolding& b) {
              return a.job.job_id < b.job.job_id;
            });
  std::sort(cluster->queues.begin(), cluster->queues.end(),
            [](const StoredQueue& a, const StoredQueue& b) {
              return a.client_id < b.client_id;
            });
  return cluster;
}

std::map<std::string, std::optional<std::string>> PairsOf(
    const LedgerChange& change) {
  std::map<std::string, std::optional<std::string>> pairs;
  for (const StoredHolding& held : change.held) {
    pairs[keys::Job(held.job.job_id)] = Encode(held).SerializeAsString();
  }
  for (const std::uint32_t job_id : change.gone) {
    pairs[keys::Job(job_id)] = std::nullopt;
  }
  if (change.queue.has_value()) {
    pairs[keys::Queue(change.queue->client_id)] =
        Encode(*change.queue).SerializeAsString();
  }
  if (change.mode.has_value()) pairs[std::string(keys::kMode)] = *change.mode;
  if (change.heard_ms.has_value()) {
    pairs[std::string(keys::kHeard)] = std::to_string(*change.heard_ms);
  }
  if (change.is_incomplete) pairs[std::string(keys::kIncomplete)] = "1";
  return pairs;
}

std::vector<std::string> RedoPartsOf(const LedgerChange& change) {
  v1::StoredChange redo;
  if (change.synced.has_value()) {
    *redo.mutable_synced() = RosterOf(*change.synced);
    for (const StoredHolding& held : change.synced->holdings) {
      *redo.add_held() = Encode(held);
    }
    for (const StoredQueue& queue : change.synced->queues) {
      *redo.add_queues() = Encode(queue);
    }
  }
  for (const StoredHolding& held : change.held) *redo.add_held() = Encode(held);
  for (const std::uint32_t job_id : change.gone) redo.add_gone(job_id);
  if (change.queue.has_value()) *redo.add_queues() = Encode(*change.queue);
  if (change.mode.has_value()) redo.set_mode(*change.mode);
  if (change.heard_ms.has_value()) redo.set_heard_ms(*change.heard_ms);
  redo.set_is_incomplete(change.is_incomplete);
  return SplitText(redo.SerializeAsString());
}

absl::StatusOr<std::optional<LedgerChange>> ReadRedo(
    const std::string& cluster, const ClusterPairs& pairs) {
  const auto end = pairs.find(keys::kRedoEnd);
  if (end == pairs.end()) return std::optional<LedgerChange>();
  const auto parts =
      std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) {
        return pair.first.starts_with(keys::kRedo) &&
               pair.first != keys::kRedoEnd;
      });
  if (ParseDecimal<std::ptrdiff_t>(end->second) != parts) {
    return Invalid(cluster, keys::kRedoEnd);
  }
  v1::StoredChange redo;
  if (!redo.ParseFromString(JoinParts(pairs, keys::kRedo))) {
    return Invalid(cluster, keys::kRedo);
  }
  LedgerChange change;
  change.cluster = cluster;
  // What comes later replaces what a Sync has.
  std::map<std::uint32_t, StoredHolding> held;
  for (const v1::StoredJob& job : redo.held()) {
    auto holding = Decode(job);
    if (!holding.has_value()) return Invalid(cluster, keys::kRedo);
    held.insert_or_assign(job.job_id(), *std::move(holding));
  }
  for (const std::uint32_t job_id : redo.gone()) held.erase(job_id);
  std::vector<StoredHolding>* holdings = &change.held;
  if (redo.has_synced()) {
    change.synced.emplace();
    change.synced->name = cluster;
    if (!Decode(redo.synced(), *change.synced)) {
      return Invalid(cluster, keys::kRedo);
    }
    holdings = &change.synced->holdings;
    std::map<std::string, StoredQueue> queues;
    for (const auto& mark : redo.queues()) {
      queues.insert_or_assign(mark.client_id(), Decode(mark));
    }
    for (auto& [id, queue] : queues) {
      change.synced->queues.push_back(std::move(queue));
    }
  } else {
    change.gone.assign(redo.gone().begin(), redo.gone().end());
    if (redo.queues_size() > 0) change.queue = Decode(redo.queues(0));
  }
  for (auto& [id, holding] : held) holdings->push_back(std::move(holding));
  if (redo.has_mode()) change.mode = redo.mode();
  if (redo.has_heard_ms()) change.heard_ms = redo.heard_ms();
  change.is_incomplete = redo.is_incomplete();
  return std::optional<LedgerChange>(std::move(change));
}

std::vector<std::pair<std::string, std::string>> PairsOfSync(
    const StoredCluster& cluster) {
  std::vector<std::pair<std::string, std::string>> pairs;
  v1::StoredRoster roster = RosterOf(cluster);
  const std::vector<std::string> table = SplitText(roster.SerializeAsString());
  for (std::size_t i = 0; i < table.size(); ++i) {
    pairs.emplace_back(keys::Part(keys::kTable, i), table[i]);
  }
  for (const StoredHolding& held : cluster.holdings) {
    pairs.emplace_back(keys::Job(held.job.job_id),
                       Encode(held).SerializeAsString());
  }
  for (const StoredQueue& queue : cluster.queues) {
    pairs.emplace_back(keys::Queue(queue.client_id),
                       Encode(queue).SerializeAsString());
  }
  roster.clear_node_table();
  roster.clear_capacity();
  pairs.emplace_back(keys::kSync, roster.SerializeAsString());
  return pairs;
}

std::string EncodeStoredLearned(const StoredLearning& learned) {
  v1::StoredLearned value;
  value.set_name(learned.name);
  value.set_machine(learned.machine);
  value.set_saved_ms(learned.saved_ms);
  value.set_content(learned.content);
  return value.SerializeAsString();
}

absl::StatusOr<StoredLearning> DecodeStoredLearned(std::string_view value) {
  v1::StoredLearned learned;
  if (!learned.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
    return absl::DataLossError("etcd: learned/: invalid value");
  }
  return StoredLearning{learned.name(), learned.machine(), learned.saved_ms(),
                        learned.content()};
}

}  // namespace coolspan
