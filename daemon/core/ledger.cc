// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ledger.h"

#include <algorithm>
#include <iterator>

namespace coolspan {
namespace {

// Moves nodes (ascending) that no longer count from what the holding has to
// what is contested.
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

}  // namespace

Ledger::Ledger(std::vector<Units> capacity) { Reset(std::move(capacity)); }

void Ledger::Reset(std::vector<Units> capacity) {
  capacity_ = std::move(capacity);
  free_units_ = capacity_;
  holders_.clear();
  holders_.resize(capacity_.size());
  free_whole_ = NodeSet::All(node_count());
  free_shared_ = free_whole_;
  free_whole_count_ = free_shared_count_ = node_count();
  loads_.assign(tracked_share_.has_value() ? node_count() : 0, NodeLoad{});
  holdings_.clear();
  expiries_.clear();
  ++version_;
}

const Holding* Ledger::Find(std::uint32_t job_id) const {
  const auto found = holdings_.find(job_id);
  return found == holdings_.end() ? nullptr : &found->second;
}

std::vector<const Holding*> Ledger::Holdings() const {
  std::vector<const Holding*> holdings;
  holdings.reserve(holdings_.size());
  for (const auto& [job_id, holding] : holdings_) holdings.push_back(&holding);
  std::sort(holdings.begin(), holdings.end(),
            [](const Holding* a, const Holding* b) {
              return a->job.job_id < b->job.job_id;
            });
  return holdings;
}

void Ledger::TrackLoads(float communication_share) {
  tracked_share_ = communication_share;
  loads_.assign(node_count(), NodeLoad{});
}

void Ledger::AddLoad(const Holding& holding, std::size_t index, float sign) {
  if (!tracked_share_.has_value()) return;
  const NodeId node = holding.nodes[index];
  NodeLoad& load = loads_[node];
  // No rest of an earlier sum stays.
  if (holders_[node].empty()) load = {};
  if (holders_[node].empty() && sign < 0) return;
  const float used = sign * static_cast<float>(UnitsOn(holding, index)) /
                     static_cast<float>(capacity_[node]);
  const float share = holding.communication_share.value_or(*tracked_share_);
  load.compute += used * (1 - share);
  load.communicate += used * share;
}

void Ledger::TakeUnits(const Holding& holding, std::size_t index) {
  const NodeId node = holding.nodes[index];
  AddLoad(holding, index, 1);
  auto& holders = holders_[node];
  if (holders.empty()) {
    free_whole_.Erase(node);
    --free_whole_count_;
  }
  holders.push_back(holding.job.job_id);
  free_units_[node] -= UnitsOn(holding, index);
  if (free_units_[node] == 0) {
    free_shared_.Erase(node);
    --free_shared_count_;
  }
}

void Ledger::GiveUnits(const Holding& holding, std::size_t index) {
  const NodeId node = holding.nodes[index];
  auto& holders = holders_[node];
  holders.erase(std::find(holders.begin(), holders.end(), holding.job.job_id));
  AddLoad(holding, index, -1);
  if (holders.empty()) {
    free_whole_.Insert(node);
    ++free_whole_count_;
  }
  if (free_units_[node] == 0) {
    free_shared_.Insert(node);
    ++free_shared_count_;
  }
  free_units_[node] += UnitsOn(holding, index);
}

void Ledger::Count(const Holding& holding) {
  if (holding.suspended) return;
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) TakeUnits(holding, i);
}

void Ledger::Uncount(const Holding& holding) {
  if (holding.suspended) return;
  for (std::size_t i = 0; i < holding.nodes.size(); ++i) GiveUnits(holding, i);
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
  holdings_.insert_or_assign(job_id, std::move(holding));
  ++version_;
}

bool Ledger::KeepsItsNodes(const Holding& old, const Holding& holding) const {
  return old.whole == holding.whole && old.suspended == holding.suspended &&
         old.nodes == holding.nodes && old.units == holding.units &&
         old.communication_share == holding.communication_share;
}

std::vector<JobKey> Ledger::RecordCommitted(Holding holding) {
  holding.committed = true;
  holding.expires_ms = 0;
  holding.units.resize(holding.whole ? 0 : holding.nodes.size(), 1);
  for (std::size_t i = 0; i < holding.units.size(); ++i) {
    holding.units[i] =
        std::clamp<Units>(holding.units[i], 1, capacity_[holding.nodes[i]]);
  }
  const std::uint32_t job_id = holding.job.job_id;
  auto found = holdings_.find(job_id);
  if (found != holdings_.end()) {
    Holding& old = found->second;
    if (old == holding) return {};
    if (!old.committed) expiries_.erase({old.expires_ms, job_id});
    if (KeepsItsNodes(old, holding)) {
      old = std::move(holding);
      ++version_;
      return {};
    }
    Uncount(old);
    holdings_.erase(found);
  }
  std::vector<JobKey> disputed = PushAside(holding);
  Count(holding);
  holdings_.emplace(job_id, std::move(holding));
  ++version_;
  return disputed;
}

std::vector<JobKey> Ledger::Suspend(std::uint32_t job_id, bool suspended) {
  const auto found = holdings_.find(job_id);
  if (found == holdings_.end() || !found->second.committed ||
      found->second.suspended == suspended) {
    return {};
  }
  ++version_;
  std::vector<JobKey> disputed;
  if (suspended) {
    Uncount(found->second);
    found->second.suspended = true;
  } else {
    found->second.suspended = false;
    Holding resumed = std::move(found->second);
    holdings_.erase(found);
    disputed = PushAside(resumed);
    Count(resumed);
    holdings_.emplace(job_id, std::move(resumed));
  }
  return disputed;
}

void Ledger::Drop(std::uint32_t job_id) {
  const auto found = holdings_.find(job_id);
  const Holding& holding = found->second;
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
    expired.push_back(holdings_.find(job_id)->second.job);
    Drop(job_id);
  }
  return expired;
}

void Ledger::ExpireAtLatest(TimeMs latest_ms) {
  while (!expiries_.empty() && expiries_.rbegin()->first > latest_ms) {
    const auto last = std::prev(expiries_.end());
    const std::uint32_t job_id = last->second;
    expiries_.erase(last);
    holdings_.find(job_id)->second.expires_ms = latest_ms;
    expiries_.emplace(latest_ms, job_id);
    ++version_;
  }
}

std::uint32_t Ledger::VictimOn(NodeId node) const {
  const auto& holders = holders_[node];
  const auto tentative =
      std::find_if(holders.begin(), holders.end(), [this](std::uint32_t job) {
        return !holdings_.find(job)->second.committed;
      });
  return tentative != holders.end() ? *tentative : holders.front();
}

std::vector<JobKey> Ledger::PushAside(const Holding& newcomer) {
  if (newcomer.suspended) return {};
  absl::flat_hash_map<std::uint32_t, std::vector<NodeId>> lost;
  for (std::size_t i = 0; i < newcomer.nodes.size(); ++i) {
    const NodeId node = newcomer.nodes[i];
    while (!FitsOn(node, newcomer.whole, UnitsOn(newcomer, i))) {
      const std::uint32_t victim_id = VictimOn(node);
      const Holding& victim = holdings_.find(victim_id)->second;
      if (!victim.committed) {
        Drop(victim_id);
        continue;
      }
      const auto at =
          std::lower_bound(victim.nodes.begin(), victim.nodes.end(), node);
      GiveUnits(victim, static_cast<std::size_t>(at - victim.nodes.begin()));
      lost[victim_id].push_back(node);
    }
  }
  std::vector<JobKey> disputed;
  for (const auto& [victim_id, nodes] : lost) {
    Holding& victim = holdings_.find(victim_id)->second;
    Contest(victim, nodes);
    disputed.push_back(victim.job);
  }
  std::sort(disputed.begin(), disputed.end(),
            [](JobKey a, JobKey b) { return a.job_id < b.job_id; });
  return disputed;
}

}  // namespace coolspan
