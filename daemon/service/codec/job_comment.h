// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_JOB_COMMENT_H_
#define COOLSPAN_SERVICE_CODEC_JOB_COMMENT_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace coolspan {

// What a job's comment tells coolspand: words coolspan:KEY=VALUE among others,
// between blanks, commas or semicolons. Of several with one key the first
// counts.
struct JobComment {
  // Of a comment; what is longer is cut off.
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr std::string_view kPolicy = "coolspan:policy=";
  static constexpr std::string_view kCommShare = "coolspan:comm-share=";

  // Values, parts of the text; nullopt: the comment has no such word.
  std::optional<std::string_view> policy;
  std::optional<std::string_view> comm_share;

  // The text has to outlive it.
  static JobComment Read(std::string_view text);
  // From 0 to 1; nullopt: no such word, or none that is such a number.
  std::optional<float> CommunicationShare() const;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_JOB_COMMENT_H_
