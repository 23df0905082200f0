// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_JOB_COMMENT_H_
#define COOLSPAN_SERVICE_CODEC_JOB_COMMENT_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace coolspan {

// Settings in a job comment: words coolspan:KEY=VALUE, separated from other
// text by white space, commas or semicolons. The first word with a key applies.
struct JobComment {
  // Longer comments are truncated.
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr std::string_view kPrefix = "coolspan:";
  static constexpr std::string_view kPolicy = "coolspan:policy=";
  static constexpr std::string_view kCommShare = "coolspan:comm-share=";

  // Values, as views of the text; nullopt: not specified.
  std::optional<std::string_view> policy;
  std::optional<std::string_view> comm_share;
  std::optional<std::string_view> unknown;  // the first word of another key

  // The text must outlive the result.
  static JobComment Read(std::string_view text);
  // From 0 to 1; nullopt: not specified or invalid.
  std::optional<float> CommunicationShare() const;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_JOB_COMMENT_H_
