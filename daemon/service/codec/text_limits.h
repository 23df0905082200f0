// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_TEXT_LIMITS_H_
#define COOLSPAN_SERVICE_CODEC_TEXT_LIMITS_H_

#include <google/protobuf/message.h>

#include <cstddef>

#include "absl/status/status.h"

namespace coolspan {

// Of a text in a request, such as the name of a user, a partition or a policy.
inline constexpr std::size_t kMaxTextBytes = 4096;

// INVALID_ARGUMENT "user: 5000 bytes (expected at most 4096)" for a request
// with a longer text. Not limited: hostlists, and the texts about jobs of which
// only the beginning is read.
absl::Status CheckTexts(const google::protobuf::Message& request);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_TEXT_LIMITS_H_
