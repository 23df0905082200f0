// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_JOB_START_H_
#define COOLSPAN_SERVICE_CODEC_JOB_START_H_

#include <optional>
#include <string_view>

#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// The words of JobStart.verdict.
inline constexpr std::string_view kEnforced = "enforced";
inline constexpr std::string_view kAdvised = "advised";
inline constexpr std::string_view kFallback = "fallback";
inline constexpr std::string_view kLeft = "left";

// The start in a commit, with texts shortened to the lengths in
// allocator.proto. nullopt: none, or its verdict is unknown: an event is never
// refused.
std::optional<v1::JobStart> DecodeStart(const v1::Event& event);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_JOB_START_H_
