// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comm_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace coolspan {
namespace {

absl::Status Refuse(const std::string& message) {
  return absl::InvalidArgumentError(message);
}

absl::Status CheckVolume(const RankVolume& volume, std::uint32_t ranks) {
  if (volume.from >= ranks || volume.to >= ranks) {
    return Refuse(
        fmt::format("rank {} does not exist (expected a rank from 0 to {})",
                    std::max(volume.from, volume.to), ranks - 1));
  }
  // Also refuses a NaN.
  if (volume.bytes >= 0 && volume.bytes <= CommPattern::kMaxBytes) {
    return absl::OkStatus();
  }
  return Refuse(fmt::format(
      "{} bytes from rank {} to rank {} (expected a number from 0 to {})",
      volume.bytes, volume.from, volume.to, CommPattern::kMaxBytes));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CommPattern>> CommPattern::Create(
    std::uint32_t ranks, std::vector<RankVolume> volumes) {
  if (ranks < 1 || ranks > kMaxRanks) {
    return Refuse(fmt::format("pattern of {} ranks (expected 1 to {})", ranks,
                              kMaxRanks));
  }
  for (const RankVolume& volume : volumes) {
    absl::Status checked = CheckVolume(volume, ranks);
    if (!checked.ok()) return checked;
  }
  const auto key = [](const RankVolume& one) {
    return std::pair(one.from, one.to);
  };
  const auto before = [key](const RankVolume& a, const RankVolume& b) {
    return key(a) < key(b);
  };
  if (!std::is_sorted(volumes.begin(), volumes.end(), before)) {
    std::sort(volumes.begin(), volumes.end(), before);
  }
  const auto repeated = std::adjacent_find(
      volumes.begin(), volumes.end(),
      [key](const auto& a, const auto& b) { return key(a) == key(b); });
  if (repeated != volumes.end()) {
    return Refuse(fmt::format("rank {} to rank {}: specified more than once",
                              repeated->from, repeated->to));
  }
  std::erase_if(volumes, [](const RankVolume& one) {
    return one.bytes == 0 || one.from == one.to;
  });
  if (volumes.size() > kMaxPairs) {
    return Refuse(fmt::format(
        "pattern of {} pairs of ranks that communicate (expected at most {})",
        volumes.size(), kMaxPairs));
  }
  std::shared_ptr<CommPattern> pattern(new CommPattern);
  pattern->first_.assign(ranks + std::size_t{1}, 0);
  pattern->receivers_.reserve(volumes.size());
  pattern->bytes_.reserve(volumes.size());
  for (const RankVolume& volume : volumes) {
    ++pattern->first_[volume.from + 1];
    pattern->receivers_.push_back(volume.to);
    pattern->bytes_.push_back(volume.bytes);
    pattern->total_bytes_ += volume.bytes;
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    pattern->first_[rank + 1] += pattern->first_[rank];
  }
  return std::shared_ptr<const CommPattern>(std::move(pattern));
}

}  // namespace coolspan
