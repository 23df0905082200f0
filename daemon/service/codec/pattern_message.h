// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_PATTERN_MESSAGE_H_
#define COOLSPAN_SERVICE_CODEC_PATTERN_MESSAGE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/comm_pattern.h"

namespace coolspan {

// Error: INVALID_ARGUMENT (lists of different lengths, those of
// CommPattern::Create).
absl::StatusOr<std::shared_ptr<const CommPattern>> DecodePattern(
    const v1::CommPattern& message);
// Of a request; nullptr: it has none. Takes up to 100 ms for a million pairs.
absl::StatusOr<std::shared_ptr<const CommPattern>> PatternOf(
    const v1::AllocateRequest& request);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_PATTERN_MESSAGE_H_
