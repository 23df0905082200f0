// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/frame_count.h"

#include <algorithm>

namespace coolspan {
namespace {

// Frame types (RFC 9113, section 6).
constexpr unsigned char kData = 0;
constexpr unsigned char kWindowUpdate = 8;

}  // namespace

double FrameCount::Add(std::string_view bytes) {
  double cost = 0;
  while (!bytes.empty()) {
    if (to_skip_ > 0) {
      const auto skipped = std::min<std::uint64_t>(to_skip_, bytes.size());
      bytes.remove_prefix(skipped);
      to_skip_ -= skipped;
      continue;
    }
    header_[header_size_++] = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (header_size_ < kHeaderBytes) continue;
    header_size_ = 0;
    to_skip_ = (std::uint64_t{header_[0]} << 16) |
               (std::uint64_t{header_[1]} << 8) | header_[2];
    const bool is_message = header_[3] == kData || header_[3] == kWindowUpdate;
    cost += is_message ? kMessageCost : kControlCost;
  }
  return cost;
}

}  // namespace coolspan
