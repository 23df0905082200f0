// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/free_intervals.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace coolspan {
namespace {

// Each size up to kExactClasses has a class of its own; larger sizes share
// classes.
constexpr NodeCount kExactClasses = 48;
constexpr NodeCount kSharedClassWidth = 64;

// Calls visit(first, size) for each run of ones until it returns false.
template <typename Visitor>
void ForEachRun(std::span<const std::uint64_t> words, Visitor&& visit) {
  constexpr NodeCount kBits = 64;
  NodeCount open = 0;  // length of the run at the end of the previous word
  NodeCount base = 0;
  for (std::uint64_t word : words) {
    if (open != 0) {
      const auto more = static_cast<NodeCount>(std::countr_one(word));
      if (more == kBits) {
        open += kBits;
        base += kBits;
        continue;
      }
      if (!visit(base - open, open + more)) return;
      open = 0;
      // NOLINTNEXTLINE(clang-analyzer-core.*): more < 64 here.
      word &= ~std::uint64_t{0} << more;
    }
    while (word != 0) {
      const auto first = static_cast<NodeCount>(std::countr_zero(word));
      const auto size = static_cast<NodeCount>(std::countr_one(word >> first));
      if (first + size == kBits) {
        open = size;
        break;
      }
      if (!visit(base + first, size)) return;
      word &= word + (word & (~word + 1));
    }
    base += kBits;
  }
  if (open != 0) visit(base - open, open);
}

}  // namespace

std::uint32_t SizeCounts::Count(NodeCount size) const {
  if (size < small_.size()) return small_[size];
  const auto [first, last] =
      std::equal_range(large_.begin(), large_.end(), size);
  return static_cast<std::uint32_t>(last - first);
}

void SizeCounts::ForEachFrom(
    NodeCount min_size,
    absl::FunctionRef<void(NodeCount, std::uint32_t)> visit) const {
  for (NodeCount size = min_size; size < small_.size(); ++size) {
    if (small_[size] != 0) visit(size, small_[size]);
  }
  auto it = std::lower_bound(large_.begin(), large_.end(), min_size);
  while (it != large_.end()) {
    const auto next = std::upper_bound(it, large_.end(), *it);
    visit(*it, static_cast<std::uint32_t>(next - it));
    it = next;
  }
}

FreeIntervals::FreeIntervals(std::shared_ptr<const Ordering> ordering)
    : ordering_(std::move(ordering)) {
  const NodeCount ranks = ordering_->size();
  const std::size_t chunks = (ranks + kChunkRanks - 1) / kChunkRanks;
  seen_.resize((ranks + kWordBits - 1) / kWordBits);
  words_.resize(seen_.size());
  chunks_.resize(chunks);
  inner_by_size_.resize(std::min(ranks, kChunkRanks) + 1);
  blocks_.resize((ranks + kBlockRanks - 1) / kBlockRanks);
  listed_ranks_.resize(ranks);
}

std::uint64_t FreeIntervals::ClassOf(NodeCount size) {
  const NodeCount below = std::max(size, 1U) - 1;
  return std::uint64_t{1} << (below < kExactClasses
                                  ? below
                                  : kExactClasses + below / kSharedClassWidth);
}

std::span<const std::uint64_t> FreeIntervals::WordsOf(std::size_t chunk) const {
  const std::size_t first = chunk * kChunkWords;
  return std::span(words_).subspan(
      first, std::min<std::size_t>(kChunkWords, words_.size() - first));
}

std::size_t FreeIntervals::DifferingWords(const NodeSet& free,
                                          std::size_t limit) const {
  std::size_t differing = 0;
  std::size_t first = 0;
  for (std::size_t b = 0; b < free.block_count() && differing < limit; ++b) {
    const std::span<const std::uint64_t> now = free.block(b);
    for (std::size_t w = 0; w < now.size(); ++w) {
      differing += now[w] != seen_[first + w] ? 1 : 0;
    }
    first += now.size();
  }
  return differing;
}

void FreeIntervals::Update(const NodeSet& free) {
  constexpr std::size_t kStride = 64;
  std::size_t first = 0;
  for (std::size_t b = 0; b < free.block_count(); ++b) {
    const std::span<const std::uint64_t> block = free.block(b);
    for (std::size_t from = 0; from < block.size(); from += kStride) {
      const std::span<const std::uint64_t> now =
          block.subspan(from, std::min(kStride, block.size() - from));
      std::uint64_t changed = 0;
      for (std::size_t w = 0; w < now.size(); ++w) {
        changed |= now[w] ^ seen_[first + w];
      }
      if (changed != 0) UpdateWords(now, first);
      first += now.size();
    }
  }
  if (touched_.empty()) return;
  for (const std::uint32_t chunk : touched_) AddChunk(chunk);
  touched_.clear();
  JoinEdgeIntervals();
}

void FreeIntervals::UpdateWords(std::span<const std::uint64_t> now,
                                std::size_t first) {
  for (std::size_t w = 0; w < now.size(); ++w) {
    std::uint64_t& seen = seen_[first + w];
    const auto base = static_cast<NodeId>((first + w) * kWordBits);
    for (std::uint64_t changed = now[w] ^ seen; changed != 0;
         changed &= changed - 1) {
      Flip(ordering_->RankOf(base +
                             static_cast<NodeId>(std::countr_zero(changed))));
    }
    seen = now[w];
  }
}

void FreeIntervals::Flip(Rank rank) {
  const std::uint32_t chunk = rank / kChunkRanks;
  if (!chunks_[chunk].touched) {
    SubtractChunk(chunk);
    touched_.push_back(chunk);
  }
  words_[rank / kWordBits] ^= std::uint64_t{1} << (rank % kWordBits);
}

void FreeIntervals::SubtractChunk(std::size_t chunk) {
  Chunk& summary = chunks_[chunk];
  ForEachRun(WordsOf(chunk), [&](NodeCount first, NodeCount size) {
    if (first != 0 && first + size != kChunkRanks) {
      --inner_by_size_[size];
      --inner_intervals_;
    }
    return true;
  });
  free_count_ -= summary.free;
  summary = Chunk{};
  summary.touched = true;
  blocks_[chunk * kChunkRanks / kBlockRanks].listed = false;
}

void FreeIntervals::AddChunk(std::size_t chunk) {
  Chunk& summary = chunks_[chunk];
  ForEachRun(WordsOf(chunk), [&](NodeCount first, NodeCount size) {
    summary.free = static_cast<std::uint16_t>(summary.free + size);
    if (first == 0) summary.head = static_cast<std::uint16_t>(size);
    if (first + size == kChunkRanks) {
      summary.tail = static_cast<std::uint16_t>(size);
    } else if (first != 0) {
      ++inner_by_size_[size];
      ++inner_intervals_;
      summary.size_classes |= ClassOf(size);
    }
    return true;
  });
  free_count_ += summary.free;
  summary.touched = false;
}

void FreeIntervals::JoinEdgeIntervals() {
  edge_intervals_.clear();
  Interval open;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
    const auto first = static_cast<Rank>(c * kChunkRanks);
    if (chunk.head != 0) {
      if (open.size == 0) open.start = first;
      open.size += chunk.head;
    }
    if (chunk.head == kChunkRanks) continue;
    if (open.size != 0) edge_intervals_.push_back(open);
    open = {first + kChunkRanks - chunk.tail, chunk.tail};
  }
  if (open.size != 0) edge_intervals_.push_back(open);
}

std::optional<NodeCount> FreeIntervals::SmallestSize(NodeCount min_size) const {
  std::optional<NodeCount> smallest;
  for (NodeCount size = min_size; size < inner_by_size_.size(); ++size) {
    if (inner_by_size_[size] != 0) {
      smallest = size;
      break;
    }
  }
  for (const Interval& interval : edge_intervals_) {
    if (interval.size >= min_size && (!smallest || interval.size < *smallest)) {
      smallest = interval.size;
    }
  }
  return smallest;
}

SizeCounts FreeIntervals::Sizes() const {
  SizeCounts sizes;
  sizes.small_ = inner_by_size_;
  for (const Interval& interval : edge_intervals_) {
    if (interval.size < sizes.small_.size()) {
      ++sizes.small_[interval.size];
    } else {
      sizes.large_.push_back(interval.size);
    }
  }
  std::sort(sizes.large_.begin(), sizes.large_.end());
  return sizes;
}

std::optional<Interval> FreeIntervals::FirstInside(
    std::size_t chunk, NodeCount min_size,
    absl::FunctionRef<bool(NodeCount)> accept) const {
  std::optional<Interval> found;
  ForEachRun(WordsOf(chunk), [&](NodeCount first, NodeCount size) {
    if (first == 0 || first + size == kChunkRanks || size < min_size ||
        !accept(size)) {
      return true;
    }
    found = Interval{static_cast<Rank>(chunk * kChunkRanks + first), size};
    return false;
  });
  return found;
}

std::optional<Interval> FreeIntervals::FirstInterval(
    NodeCount min_size, absl::FunctionRef<bool(NodeCount)> accept) const {
  const auto edge = std::find_if(
      edge_intervals_.begin(), edge_intervals_.end(),
      [&](const Interval& i) { return i.size >= min_size && accept(i.size); });
  const bool has_edge = edge != edge_intervals_.end();
  const std::size_t chunks_before =
      has_edge ? edge->start / kChunkRanks + 1 : chunks_.size();

  std::uint64_t classes = 0;
  for (NodeCount size = std::max(min_size, 1U); size < inner_by_size_.size();
       ++size) {
    if (inner_by_size_[size] != 0 && accept(size)) classes |= ClassOf(size);
  }
  for (std::size_t c = 0; c < chunks_before; ++c) {
    if ((chunks_[c].size_classes & classes) == 0) continue;
    const std::optional<Interval> inside = FirstInside(c, min_size, accept);
    if (!inside) continue;
    return has_edge && edge->start < inside->start ? *edge : *inside;
  }
  return has_edge ? std::optional<Interval>(*edge) : std::nullopt;
}

Interval FreeIntervals::IntervalAround(Rank rank) const {
  Rank start = rank;
  while (start > 0 && IsFree(start - 1)) {
    const std::uint64_t below = words_[(start - 1) / kWordBits]
                                << (kWordBits - 1 - (start - 1) % kWordBits);
    start -= static_cast<Rank>(std::countl_one(below));
  }
  Rank end = rank;
  while (end < ordering_->size() && IsFree(end)) {
    end += static_cast<Rank>(
        std::countr_one(words_[end / kWordBits] >> (end % kWordBits)));
  }
  return {start, end - start};
}

void FreeIntervals::AppendFreeRanks(Rank start, NodeCount count,
                                    std::vector<Rank>& out) const {
  out.reserve(out.size() + count);
  std::size_t w = start / kWordBits;
  std::uint64_t word = words_[w] & (~std::uint64_t{0} << (start % kWordBits));
  while (count > 0) {
    for (; word != 0 && count > 0; word &= word - 1, --count) {
      out.push_back(static_cast<Rank>(
          w * kWordBits + static_cast<Rank>(std::countr_zero(word))));
    }
    w = w + 1 == words_.size() ? 0 : w + 1;
    word = words_[w];
  }
}

}  // namespace coolspan
