// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/job_comment.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace coolspan {
namespace {

constexpr std::string_view kBetweenWords = " \t\r\n,;";

// Returns false if the word has another key.
bool TakeValue(std::string_view word, std::string_view key,
               std::optional<std::string_view>& value) {
  if (!word.starts_with(key)) return false;
  if (!value.has_value()) value = word.substr(key.size());
  return true;
}

}  // namespace

JobComment JobComment::Read(std::string_view text) {
  JobComment comment;
  text = text.substr(0, kMaxBytes);
  while (!text.empty()) {
    const std::string_view word =
        text.substr(0, text.find_first_of(kBetweenWords));
    if (!TakeValue(word, kPolicy, comment.policy) &&
        !TakeValue(word, kCommShare, comment.comm_share) &&
        word.starts_with(kPrefix) && !comment.unknown.has_value()) {
      comment.unknown = word;
    }
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
