// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/pattern_message.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "formats/file_error.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const CommPattern>> DecodePattern(
    const v1::CommPattern& message) {
  if (message.from_size() != message.to_size() ||
      message.from_size() != message.bytes_size()) {
    return absl::InvalidArgumentError(fmt::format(
        "pattern: {} senders, {} receivers, {} numbers of bytes "
        "(expected as many of each)",
        message.from_size(), message.to_size(), message.bytes_size()));
  }
  std::vector<RankVolume> volumes;
  volumes.reserve(static_cast<std::size_t>(message.from_size()));
  for (int i = 0; i < message.from_size(); ++i) {
    volumes.push_back({message.from(i), message.to(i), message.bytes(i)});
  }
  auto pattern = CommPattern::Create(message.ranks(), std::move(volumes));
  if (pattern.ok()) return pattern;
  return absl::InvalidArgumentError(
      fmt::format("pattern: {}", MessageOf(pattern.status())));
}

absl::StatusOr<std::shared_ptr<const CommPattern>> PatternOf(
    const v1::AllocateRequest& request) {
  if (!request.has_pattern()) return nullptr;
  return DecodePattern(request.pattern());
}

}  // namespace coolspan
