// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ledger.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace coolspan {
namespace {

// Moves nodes (ascending) from the holding's nodes to its contested nodes.
void Contest(Holding& holding, const std::vector<NodeId>& nodes) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
    if (std::binary_search(nodes.begin(), nodes.end(), holding.nodes[i])) {
      continue;
    }
    holding.nodes[kept] = holding.nodes[i];
    if (!holding.whole) holding.units[kept] = holding.units[i];
    ++kept;
  }
  holding.nodes.resize(kept);
  if (!holding.whole) holding.units.resize(kept);
  std::vector<NodeId> contested;
  std::merge(holding.contested.begin(), holding.contested.end(), nodes.begin(),
             nodes.end(), std::back_inserter(contested));
  holding.contested = std::move(contested);
  holding.disputed = true;
}

// Of two jobs on a node.
TimeMs LastEnd(TimeMs a, TimeMs b) {
  return a == kUnknownEnd || b == kUnknownEnd ? kUnknownEnd : std::max(a, b);
}

}  // namespace

Ledger::Ledger(std::vector<Units> capacity) : availability_(std::in_place) {
  Reset(std::move(capacity));
}

void Ledger::Reset(std::vector<Units> capacity) {
  const auto nodes = static_cast<NodeCount>(capacity.size());
  Availability fresh;
  fresh.free_whole = NodeSet::All(nodes);
  fresh.free_shared = fresh.free_whole;
  fresh.free_whole_count = fresh.free_shared_count = nodes;
  fresh.free_units = UnitsByNode(capacity);
  fresh.total_units =
      std::accumulate(capacity.begin(), capacity.end(), std::uint64_t{0});
  if (tracked_share_.has_value()) fresh.loads = LoadsByNode(nodes, {});
  fresh.ends = EndsByNode(nodes, kUnknownEnd);
  fresh.capacity =
      std::make_shared<const std::vector<Units>>(std::move(capacity));
  availability_ = CopyOnWrite<Availability>(std::in_place, std::move(fresh));
  holders_.clear();
  holders_.resize(nodes);
  holdings_.clear();
  expiries_.clear();
  ++version_;
}

const Holding* Ledger::Find(std::uint32_t job_id) const {
  const auto found = holdings_.find(job_id);
  return found == holdings_.end() ? nullptr : found->second.get();
}

std::shared_ptr<const Holding> Ledger::FindShared(std::uint32_t job_id) const {
  const auto found = holdings_.find(job_id);
  return found == holdings_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Holding>> Ledger::Holdings() const {
  std::vector<std::shared_ptr<const Holding>> holdings;
  holdings.reserve(holdings_.size());
  for (const auto& [job_id, holding] : holdings_) holdings.push_back(holding);
  std::sort(holdings.begin(), holdings.end(), [](const auto& a, const auto& b) {
    return a->job.job_id < b->job.job_id;
  });
  return holdings;
}

// REQUIRES a job with a holding. Copies the holding: readers keep the old one.
Holding& Ledger::MutableHolding(std::uint32_t job_id) {
  std::shared_ptr<Holding>& holding = holdings_.find(job_id)->second;
  holding = std::make_shared<Holding>(*holding);
  return *holding;
}

void Ledger::TrackLoads(float communication_share) {
  tracked_share_ = communication_share;
  availability_.Mutable().loads = LoadsByNode(node_count(), {});
}

// REQUIRES that loads are tracked. is_alone: the node has no other holder.
void Ledger::AddLoad(const Holding& holding, Units units, float sign,
                     bool is_alone, AvailabilityEditor& editor) const {
  NodeLoad& load = editor.load();
  // Removes rounding errors of earlier sums.
  if (is_alone) load = {};
  if (is_alone && sign < 0) return;
  const float used =
      sign * static_cast<float>(units) / static_cast<float>(editor.capacity());
  const float share = holding.communication_share.value_or(*tracked_share_);
  load.compute += used * (1 - share);
  load.communicate += used * share;
}

void Ledger::TakeUnits(const Holding& holding, std::size_t index,
                       AvailabilityEditor& editor) {
  const NodeId node = holding.nodes[index];
  auto& holders = holders_[node];
  const bool is_alone = holders.empty();
  holders.push_back(holding.job.job_id);
  editor.MoveTo(node);
  const Units units = holding.whole ? editor.capacity() : holding.units[index];
  if (tracked_share_.has_value()) AddLoad(holding, units, 1, is_alone, editor);
  if (is_alone) {
    editor.TakeWhole();
    editor.end() = holding.expected_end_ms;
  } else {
    editor.end() = LastEnd(editor.end(), holding.expected_end_ms);
  }
  editor.free_units() -= units;
  if (editor.free_units() == 0) editor.TakeShared();
}

// The part of GiveUnits that changes the availability.
inline void Ledger::FreeUnits(const Holding& holding, std::size_t index,
                              bool is_alone, AvailabilityEditor& editor) const {
  editor.MoveTo(holding.nodes[index]);
  const Units units = holding.whole ? editor.capacity() : holding.units[index];
  if (tracked_share_.has_value()) AddLoad(holding, units, -1, is_alone, editor);
  if (is_alone) {
    editor.GiveWhole();
    editor.end() = kUnknownEnd;
  }
  if (editor.free_units() == 0) editor.GiveShared();
  editor.free_units() += units;
}

void Ledger::GiveUnits(const Holding& holding, std::size_t index,
                       AvailabilityEditor& editor) {
  auto& holders = holders_[holding.nodes[index]];
  if (holders.size() == 1) {
    holders.clear();
  } else {
    holders.erase(
        std::find(holders.begin(), holders.end(), holding.job.job_id));
  }
  FreeUnits(holding, index, holders.empty(), editor);
  if (holders.empty()) return;
  editor.end() = holdings_.find(holders.front())->second->expected_end_ms;
  for (const std::uint32_t job_id : holders) {
    editor.end() =
        LastEnd(editor.end(), holdings_.find(job_id)->second->expected_end_ms);
  }
}

CopyOnWrite<Availability> Ledger::AvailabilityWithout(
    TimeMs now_ms, std::optional<std::uint32_t> job_id) const {
  CopyOnWrite<Availability> without = availability_;
  AvailabilityEditor editor(without.Mutable());
  absl::flat_hash_map<NodeId, std::size_t> freed;  // holders of each node
  const auto free = [&](std::uint32_t freed_job) {
    const Holding* const holding = Find(freed_job);
    if (holding == nullptr || holding->suspended) return;
    for (std::size_t i = 0; i < holding->nodes.size(); ++i) {
      const NodeId node = holding->nodes[i];
      const bool is_alone = ++freed[node] == holders_[node].size();
      FreeUnits(*holding, i, is_alone, editor);
    }
  };
  bool job_expires = false;
  for (const auto& [expires_ms, expiring] : expiries_) {
    if (expires_ms > now_ms) break;
    free(expiring);
    job_expires |= job_id == expiring;
  }
  if (job_id.has_value() && !job_expires) free(*job_id);
  return without;
}

void Ledger::Count(const Holding& holding) {
  if (holding.suspended) return;
  AvailabilityEditor editor(availability_.Mutable());
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
    TakeUnits(holding, i, editor);
  }
}

void Ledger::Uncount(const Holding& holding) {
  if (holding.suspended) return;
  AvailabilityEditor editor(availability_.Mutable());
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
    GiveUnits(holding, i, editor);
  }
}

bool Ledger::Fits(const Holding& holding) const {
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
    if (!FitsOn(holding.nodes[i], holding.whole, UnitsOn(holding, i))) {
      return false;
    }
  }
  return true;
}

void Ledger::HoldTentatively(Holding holding) {
  Count(holding);
  const std::uint32_t job_id = holding.job.job_id;
  expiries_.emplace(holding.expires_ms, job_id);
  holdings_.insert_or_assign(job_id,
                             std::make_shared<Holding>(std::move(holding)));
  ++version_;
}

bool Ledger::HoldsSameNodes(const Holding& old, const Holding& holding) const {
  return old.whole == holding.whole && old.suspended == holding.suspended &&
         old.nodes == holding.nodes && old.units == holding.units &&
         old.communication_share == holding.communication_share &&
         old.expected_end_ms == holding.expected_end_ms;
}

std::vector<JobKey> Ledger::RecordCommitted(Holding holding) {
  holding.committed = true;
  holding.expires_ms = 0;
  holding.units.resize(holding.whole ? 0 : holding.nodes.size(), 1);
  for (std::size_t i = 0; i < holding.units.size(); ++i) {
    holding.units[i] =
        std::clamp<Units>(holding.units[i], 1, capacity(holding.nodes[i]));
  }
  const std::uint32_t job_id = holding.job.job_id;
  auto found = holdings_.find(job_id);
  if (found != holdings_.end()) {
    const Holding& old = *found->second;
    if (old == holding) return {};
    if (!old.committed) expiries_.erase({old.expires_ms, job_id});
    if (HoldsSameNodes(old, holding)) {
      found->second = std::make_shared<Holding>(std::move(holding));
      ++version_;
      return {};
    }
    Uncount(old);
    holdings_.erase(found);
  }
  std::vector<JobKey> disputed = Displace(holding);
  Count(holding);
  holdings_.emplace(job_id, std::make_shared<Holding>(std::move(holding)));
  ++version_;
  return disputed;
}

std::vector<JobKey> Ledger::Suspend(std::uint32_t job_id, bool suspended) {
  const auto found = holdings_.find(job_id);
  if (found == holdings_.end() || !found->second->committed ||
      found->second->suspended == suspended) {
    return {};
  }
  ++version_;
  std::vector<JobKey> disputed;
  Holding& holding = MutableHolding(job_id);
  if (suspended) {
    Uncount(holding);
    holding.suspended = true;
  } else {
    holding.suspended = false;
    const std::shared_ptr<Holding> resumed = found->second;
    holdings_.erase(found);
    disputed = Displace(*resumed);
    Count(*resumed);
    holdings_.emplace(job_id, resumed);
  }
  return disputed;
}

void Ledger::Drop(std::uint32_t job_id) {
  const auto found = holdings_.find(job_id);
  const Holding& holding = *found->second;
  Uncount(holding);
  if (!holding.committed) expiries_.erase({holding.expires_ms, job_id});
  holdings_.erase(found);
  ++version_;
}

bool Ledger::Release(std::uint32_t job_id) {
  if (!holdings_.contains(job_id)) return false;
  Drop(job_id);
  return true;
}

std::vector<JobKey> Ledger::Expire(TimeMs now_ms) {
  std::vector<JobKey> expired;
  while (!expiries_.empty() && expiries_.begin()->first <= now_ms) {
    const std::uint32_t job_id = expiries_.begin()->second;
    expired.push_back(holdings_.find(job_id)->second->job);
    Drop(job_id);
  }
  return expired;
}

void Ledger::ExpireAtLatest(TimeMs latest_ms) {
  while (!expiries_.empty() && expiries_.rbegin()->first > latest_ms) {
    const auto last = std::prev(expiries_.end());
    const std::uint32_t job_id = last->second;
    expiries_.erase(last);
    MutableHolding(job_id).expires_ms = latest_ms;
    expiries_.emplace(latest_ms, job_id);
    ++version_;
  }
}

std::uint32_t Ledger::VictimOn(NodeId node) const {
  const auto& holders = holders_[node];
  const auto tentative =
      std::find_if(holders.begin(), holders.end(), [this](std::uint32_t job) {
        return !holdings_.find(job)->second->committed;
      });
  return tentative != holders.end() ? *tentative : holders.front();
}

std::vector<JobKey> Ledger::Displace(const Holding& newcomer) {
  if (newcomer.suspended) return {};
  absl::flat_hash_map<std::uint32_t, std::vector<NodeId>> lost;
  for (std::size_t i = 0; i < newcomer.nodes.size(); ++i) {
    const NodeId node = newcomer.nodes[i];
    while (!FitsOn(node, newcomer.whole, UnitsOn(newcomer, i))) {
      const std::uint32_t victim_id = VictimOn(node);
      const Holding& victim = *holdings_.find(victim_id)->second;
      if (!victim.committed) {
        Drop(victim_id);
        continue;
      }
      const auto at =
          std::lower_bound(victim.nodes.begin(), victim.nodes.end(), node);
      AvailabilityEditor editor(availability_.Mutable());
      GiveUnits(victim, static_cast<std::size_t>(at - victim.nodes.begin()),
                editor);
      lost[victim_id].push_back(node);
    }
  }
  std::vector<JobKey> disputed;
  for (const auto& [victim_id, nodes] : lost) {
    Holding& victim = MutableHolding(victim_id);
    Contest(victim, nodes);
    disputed.push_back(victim.job);
  }
  std::sort(disputed.begin(), disputed.end(),
            [](JobKey a, JobKey b) { return a.job_id < b.job_id; });
  return disputed;
}

}  // namespace coolspan
