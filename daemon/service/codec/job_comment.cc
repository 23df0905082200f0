// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/job_comment.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace coolspan {
namespace {

constexpr std::string_view kBetweenWords = " \t\r\n,;";

void TakeValue(std::string_view word, std::string_view key,
               std::optional<std::string_view>& value) {
  if (value.has_value() || word.substr(0, key.size()) != key) return;
  value = word.substr(key.size());
}

}  // namespace

JobComment JobComment::Read(std::string_view text) {
  JobComment comment;
  text = text.substr(0, kMaxBytes);
  while (!text.empty()) {
    const std::string_view word =
        text.substr(0, text.find_first_of(kBetweenWords));
    TakeValue(word, kPolicy, comment.policy);
    TakeValue(word, kCommShare, comment.comm_share);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return comment;
}

std::optional<float> JobComment::CommunicationShare() const {
  if (!comm_share.has_value()) return std::nullopt;
  const char* const end = comm_share->data() + comm_share->size();
  float share = 0;
  const auto [stop, error] = std::from_chars(comm_share->data(), end, share);
  const bool is_share =
      error == std::errc() && stop == end && share >= 0 && share <= 1;
  return is_share ? std::optional(share) : std::nullopt;
}

}  // namespace coolspan
