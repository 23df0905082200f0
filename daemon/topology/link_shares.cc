// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/link_shares.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace coolspan {
namespace {

// Sums of loads that differ by less are equal.
constexpr double kRounding = 1e-9;

}  // namespace

LinkShares::LinkShares(std::vector<double> capacities)
    : capacities_(std::move(capacities)), links_(capacities_.size()) {}

bool LinkShares::IsContended(LinkId link) const {
  return links_[link].demand > capacities_[link] * (1 + kRounding);
}

LinkShares::User LinkShares::Add(std::vector<LinkLoad> loads) {
  User user = 0;
  if (unused_.empty()) {
    user = static_cast<User>(users_.size());
    users_.emplace_back();
  } else {
    user = unused_.back();
    unused_.pop_back();
  }
  for (const auto& [link, load] : loads) {
    links_[link].uses.push_back({user, load});
    links_[link].demand += load;
  }
  users_[user] = {.loads = std::move(loads)};
  Reach(user);
  return user;
}

void LinkShares::Remove(User user) {
  Sharer& removed = users_[user];
  for (const auto& [link, load] : removed.loads) {
    Link& from = links_[link];
    const bool was_contended = IsContended(link);
    const auto use =
        std::find_if(from.uses.begin(), from.uses.end(),
                     [user](const Use& one) { return one.user == user; });
    *use = from.uses.back();
    from.uses.pop_back();
    // Without users, what rounding has left is dropped.
    from.demand = from.uses.empty() ? 0 : from.demand - load;
    if (!was_contended) continue;
    for (const Use& other : from.uses) Reach(other.user);
  }
  if (removed.is_reached) std::erase(reached_, user);
  removed = {};
  unused_.push_back(user);
}

void LinkShares::Reach(User user) {
  Sharer& reached = users_[user];
  if (reached.is_reached) return;
  reached.is_reached = true;
  reached.new_share = 0;
  reached_.push_back(user);
}

// Reaches all users that are connected to those reached, and the links that
// connect them.
void LinkShares::ReachAll() {
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    for (const auto& [number, load] : users_[reached_[i]].loads) {
      Link& link = links_[number];
      if (link.is_reached || !IsContended(number)) continue;
      link.is_reached = true;
      reached_links_.push_back(number);
      link.left = capacities_[number];
      link.unfixed_load = 0;
      link.unfixed = static_cast<std::uint32_t>(link.uses.size());
      for (const Use& use : link.uses) {
        link.unfixed_load += use.load;
        Reach(use.user);
      }
    }
  }
}

double LinkShares::LevelOf(LinkId link) const {
  const Link& at = links_[link];
  // Not above 0 by rounding only.
  return at.unfixed_load > 0 ? at.left / at.unfixed_load : 1;
}

void LinkShares::Fix(User user, double share) {
  users_[user].new_share = share;
  for (const auto& [number, load] : users_[user].loads) {
    Link& link = links_[number];
    if (!link.is_reached) continue;
    link.left -= load * share;
    link.unfixed_load -= load;
    --link.unfixed;
  }
}

// Progressive filling: all shares grow together until a link is full, which
// fixes those of its users. A link's level, the share at which it is full,
// never falls when others are fixed at lower ones, so an old level in the heap
// is a bound.
void LinkShares::Fill() {
  levels_.clear();
  for (const LinkId link : reached_links_) {
    levels_.emplace_back(LevelOf(link), link);
  }
  const std::greater<> lowest_first;
  std::make_heap(levels_.begin(), levels_.end(), lowest_first);
  double filled = 0;
  while (!levels_.empty() && levels_.front().first < 1) {
    std::pop_heap(levels_.begin(), levels_.end(), lowest_first);
    const auto [level, link] = levels_.back();
    levels_.pop_back();
    if (links_[link].unfixed == 0) continue;
    if (const double now = std::max(LevelOf(link), filled); now > level) {
      levels_.emplace_back(now, link);
      std::push_heap(levels_.begin(), levels_.end(), lowest_first);
      continue;
    }
    filled = level;
    for (const Use& use : links_[link].uses) {
      if (users_[use.user].new_share == 0) Fix(use.user, filled);
    }
  }
}

std::span<const LinkShares::User> LinkShares::Update() {
  changed_.clear();
  ReachAll();
  // The same sums in the same order, however the users were reached.
  std::sort(reached_links_.begin(), reached_links_.end());
  Fill();
  for (const User user : reached_) {
    Sharer& sharer = users_[user];
    // A link that is exactly large enough may have left a little less than 1.
    const bool is_whole =
        sharer.new_share == 0 || sharer.new_share > 1 - kRounding;
    const double share = is_whole ? 1 : sharer.new_share;
    sharer.is_reached = false;
    if (std::abs(share - sharer.share) <= kRounding * share) continue;
    sharer.share = share;
    changed_.push_back(user);
  }
  for (const LinkId link : reached_links_) links_[link].is_reached = false;
  reached_.clear();
  reached_links_.clear();
  std::sort(changed_.begin(), changed_.end());
  return changed_;
}

double LinkShares::UseOf(LinkId link) const {
  double traffic = 0;
  for (const Use& use : links_[link].uses) {
    traffic += use.load * users_[use.user].share;
  }
  return traffic / capacities_[link];
}

}  // namespace coolspan
