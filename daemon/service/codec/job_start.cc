// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/job_start.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace coolspan {
namespace {

constexpr std::size_t kMaxReasonBytes = 1024;
constexpr std::size_t kMaxClassBytes = 64;
constexpr std::size_t kMaxIdBytes = 64;

// Keeps whole characters: a message with invalid UTF-8 cannot be parsed.
void Shorten(std::size_t max_bytes, std::string& text) {
  if (text.size() <= max_bytes) return;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  text.resize(end);
}

// 0, unknown, for a number that no clock gives: milliseconds must fit as well.
std::int64_t Known(std::int64_t seconds) {
  constexpr std::int64_t kMaxSeconds = 1'000'000'000'000;
  return seconds > 0 && seconds <= kMaxSeconds ? seconds : 0;
}

}  // namespace

std::optional<v1::JobStart> DecodeStart(const v1::Event& event) {
  constexpr std::string_view kVerdicts[] = {kEnforced, kAdvised, kFallback,
                                            kLeft};
  if (std::find(std::begin(kVerdicts), std::end(kVerdicts),
                event.start().verdict()) == std::end(kVerdicts)) {
    return std::nullopt;
  }
  v1::JobStart start = event.start();
  if (start.reason_class().empty()) start.set_reason_class(start.reason());
  Shorten(kMaxReasonBytes, *start.mutable_reason());
  Shorten(kMaxClassBytes, *start.mutable_reason_class());
  Shorten(kMaxIdBytes, *start.mutable_decision_id());
  start.set_submitted_s(Known(start.submitted_s()));
  start.set_started_s(Known(start.started_s()));
  start.set_time_limit_s(Known(start.time_limit_s()));
  return start;
}

}  // namespace coolspan
