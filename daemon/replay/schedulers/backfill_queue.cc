// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/backfill_queue.h"

#include <algorithm>
#include <bit>

namespace coolspan {

BackfillQueue::BackfillQueue(std::span<const WorkloadJob> jobs,
                             const Estimates& estimates)
    : jobs_(jobs),
      estimates_(estimates),
      places_(jobs.size()),
      queued_(jobs.size()) {
  for (JobIndex job = 0; job < jobs.size(); ++job) {
    const std::size_t tree = TreeOf(jobs[job].nodes);
    if (tree >= trees_.size()) trees_.resize(tree + 1);
    places_[job] = trees_[tree].size();
    trees_[tree].Add(job);
  }
  for (Tree& tree : trees_) tree.Build();
}

std::size_t BackfillQueue::TreeOf(NodeCount nodes) {
  return static_cast<std::size_t>(std::bit_width(nodes)) - 1;
}

void BackfillQueue::Insert(JobIndex job) {
  head_ = size_ == 0 ? job : std::min(head_, job);
  queued_[job] = true;
  ++size_;
  trees_[TreeOf(jobs_[job].nodes)].Set(places_[job],
                                       {estimates_.Of(job), jobs_[job].nodes});
}

void BackfillQueue::Erase(JobIndex job) {
  queued_[job] = false;
  --size_;
  trees_[TreeOf(jobs_[job].nodes)].Set(places_[job], {});
  if (size_ == 0) return;
  while (!queued_[head_]) ++head_;
}

std::optional<JobIndex> BackfillQueue::FirstWithin(JobIndex from,
                                                   const Limits& limits) const {
  std::optional<JobIndex> first;
  const std::size_t trees = std::min<std::size_t>(
      trees_.size(), static_cast<std::size_t>(std::bit_width(limits.free)));
  for (std::size_t t = 0; t < trees; ++t) {
    const std::optional<JobIndex> found = trees_[t].FirstWithin(from, limits);
    if (found.has_value() && (!first.has_value() || *found < *first)) {
      first = found;
    }
  }
  return first;
}

void BackfillQueue::Tree::Build() {
  leaves_ = std::bit_ceil(members_.size());
  minima_.assign(2 * leaves_, {});
}

void BackfillQueue::Tree::Set(std::uint32_t place, Minima value) {
  std::size_t v = leaves_ + place;
  minima_[v] = value;
  for (v /= 2; v > 0; v /= 2) {
    const Minima& left = minima_[2 * v];
    const Minima& right = minima_[2 * v + 1];
    const Minima minima{std::min(left.estimate_ms, right.estimate_ms),
                        std::min(left.nodes, right.nodes)};
    if (minima.estimate_ms == minima_[v].estimate_ms &&
        minima.nodes == minima_[v].nodes) {
      return;
    }
    minima_[v] = minima;
  }
}

std::optional<JobIndex> BackfillQueue::Tree::FirstWithin(
    JobIndex from, const Limits& limits) const {
  const NodeCount spare = std::min(limits.free, limits.extra);
  const auto may_contain_one = [&](std::size_t v) {
    return minima_[v].nodes <= limits.free &&
           (minima_[v].estimate_ms <= limits.window_ms ||
            minima_[v].nodes <= spare);
  };
  if (leaves_ == 0 || !may_contain_one(1)) return std::nullopt;
  std::size_t v =
      leaves_ + static_cast<std::size_t>(
                    std::lower_bound(members_.begin(), members_.end(), from) -
                    members_.begin());
  if (v == 2 * leaves_) return std::nullopt;
  while (v % 2 == 0) v /= 2;  // the widest subtree that starts there
  for (;;) {
    if (may_contain_one(v)) {
      if (v >= leaves_) return members_[v - leaves_];
      v *= 2;
      continue;
    }
    while (v % 2 == 1) v /= 2;  // 0: there is nothing to the right
    if (v == 0) return std::nullopt;
    ++v;
  }
}

}  // namespace coolspan
