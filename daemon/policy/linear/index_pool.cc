// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/index_pool.h"

#include <cstddef>
#include <utility>

namespace coolspan {
namespace {

using Idle = LeasePool<FreeIntervals>::Idle;

// The index that differs least from the set. None (idle.size()) if none is near
// and there is room for a new one.
std::size_t Nearest(Idle idle, const NodeSet& free) {
  const std::size_t near_words = 64 + free.word_count() / 16;
  std::size_t min_differing = free.word_count() + 1;
  std::size_t nearest = idle.size();
  for (std::size_t i = idle.size(); i-- > 0 && min_differing > near_words;) {
    const std::size_t differing = idle[i]->DifferingWords(free, min_differing);
    if (differing < min_differing) {
      min_differing = differing;
      nearest = i;
    }
  }
  if (nearest == idle.size() || min_differing <= near_words) return nearest;
  return idle.size() < LeasePool<FreeIntervals>::kMaxIdle ? idle.size() : 0;
}

}  // namespace

IndexPool::IndexPool(std::shared_ptr<const Ordering> ordering)
    : ordering_(std::move(ordering)) {}

IndexPool::Lease IndexPool::Take(const NodeSet& free) {
  Lease index =
      pool_.Take([&free](Idle idle) { return Nearest(idle, free); },
                 [this] { return std::make_unique<FreeIntervals>(ordering_); });
  index->Update(free);
  return index;
}

}  // namespace coolspan
