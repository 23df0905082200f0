// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/index_pool.h"

#include <utility>

namespace coolspan {

IndexPool::IndexPool(std::shared_ptr<const Ordering> ordering)
    : ordering_(std::move(ordering)) {}

IndexPool::Lease::Lease(IndexPool& pool, std::unique_ptr<FreeIntervals> index)
    : pool_(pool), index_(std::move(index)) {}

IndexPool::Lease::~Lease() { pool_.Return(std::move(index_)); }

IndexPool::Lease IndexPool::Take(const NodeSet& free) {
  std::unique_ptr<FreeIntervals> index = TakeNearest(free);
  if (index == nullptr) index = std::make_unique<FreeIntervals>(ordering_);
  index->Update(free);
  return Lease(*this, std::move(index));
}

// nullptr: no idle index is near enough and the pool is not full, so a new
// index is made.
std::unique_ptr<FreeIntervals> IndexPool::TakeNearest(const NodeSet& free) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t near_words = 64 + free.word_count() / 16;
  std::size_t min_differing = free.word_count() + 1;
  std::size_t nearest = idle_.size();
  for (std::size_t i = idle_.size(); i-- > 0 && min_differing > near_words;) {
    const std::size_t differing = idle_[i]->DifferingWords(free, min_differing);
    if (differing < min_differing) {
      min_differing = differing;
      nearest = i;
    }
  }
  if (nearest == idle_.size()) return nullptr;
  if (min_differing > near_words) {
    if (idle_.size() < kMaxIdle) return nullptr;
    nearest = 0;
  }
  std::unique_ptr<FreeIntervals> index = std::move(idle_[nearest]);
  idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(nearest));
  return index;
}

void IndexPool::Return(std::unique_ptr<FreeIntervals> index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() == kMaxIdle) idle_.erase(idle_.begin());
  idle_.push_back(std::move(index));
}

}  // namespace coolspan
