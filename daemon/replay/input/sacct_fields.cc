// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/sacct_fields.h"

#include <charconv>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/time/civil_time.h"

namespace coolspan {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Digits only.
template <typename Number>
std::optional<Number> Whole(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.front() == '-') {
    return std::nullopt;
  }
  return value;
}

// Two digits below the limit.
std::optional<std::int64_t> TwoDigits(std::string_view text,
                                      std::int64_t limit) {
  if (text.size() != 2) return std::nullopt;
  const auto value = Whole<std::int64_t>(text);
  return value.has_value() && *value < limit ? value : std::nullopt;
}

// "HH:MM:SS" or "MM:SS".
std::optional<std::int64_t> ParseClock(std::string_view text) {
  constexpr std::size_t kMinutesAndSeconds = 5;
  constexpr std::size_t kHoursToSeconds = 8;
  std::int64_t hours = 0;
  if (text.size() == kHoursToSeconds && text[2] == ':') {
    const auto read = TwoDigits(text.substr(0, 2), 24);
    if (!read.has_value()) return std::nullopt;
    hours = *read;
    text.remove_prefix(3);
  }
  if (text.size() != kMinutesAndSeconds || text[2] != ':') return std::nullopt;
  const auto minutes = TwoDigits(text.substr(0, 2), 60);
  const auto seconds = TwoDigits(text.substr(3), 60);
  if (!minutes.has_value() || !seconds.has_value()) return std::nullopt;
  return hours * kHour + *minutes * kMinute + *seconds;
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

bool EqualsInAnyCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

bool IsSacctTimeUnset(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

std::optional<std::int64_t> ParseSacctNumber(std::string_view text) {
  constexpr std::size_t kMaxDigits = 12;
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  return Whole<std::int64_t>(text);
}

std::optional<std::int64_t> ParseSacctTimeS(std::string_view text) {
  constexpr std::string_view kForm = "2026-11-23T10:00:00";
  if (text.size() != kForm.size() || text[10] != 'T') {
    return ParseSacctNumber(text);
  }
  const auto year = Whole<std::int64_t>(text.substr(0, 4));
  const auto month = TwoDigits(text.substr(5, 2), 13);
  const auto day = TwoDigits(text.substr(8, 2), 32);
  const auto clock = ParseClock(text.substr(11));
  if (text[4] != '-' || text[7] != '-' || !year.has_value() ||
      !month.has_value() || !day.has_value() || !clock.has_value()) {
    return std::nullopt;
  }
  const absl::CivilDay date(*year, *month, *day);
  const absl::CivilDay epoch(1970, 1, 1);
  // Civil days are normalized: 31 June would be 1 July.
  if (date < epoch || date.month() != *month || date.day() != *day) {
    return std::nullopt;
  }
  return (date - epoch) * kDay + *clock;
}

std::optional<std::int64_t> ParseSacctDurationS(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return text.find(':') == std::string_view::npos ? ParseSacctNumber(text)
                                                    : ParseClock(text);
  }
  constexpr std::size_t kMaxDigits = 7;
  if (dash == 0 || dash > kMaxDigits) return std::nullopt;
  const auto days = Whole<std::int64_t>(text.substr(0, dash));
  const auto clock = ParseClock(text.substr(dash + 1));
  if (!days.has_value() || !clock.has_value()) return std::nullopt;
  return *days * kDay + *clock;
}

std::optional<std::int64_t> ParseSacctCount(std::string_view text) {
  constexpr std::int64_t kKibi = 1024;
  std::int64_t unit = 1;
  if (text.ends_with('K')) unit = kKibi;
  if (text.ends_with('M')) unit = kKibi * kKibi;
  if (unit > 1) text.remove_suffix(1);
  const auto count = ParseSacctNumber(text);
  if (!count.has_value()) return std::nullopt;
  return *count * unit;
}

std::optional<SacctJobId> ParseSacctJobId(std::string_view text) {
  using Kind = SacctJobId::Kind;
  SacctJobId id;
  const std::string_view step_of = text.substr(0, text.find('.'));
  const bool is_step = step_of.size() != text.size();
  const std::size_t mark = step_of.find_first_of("_+");
  const std::string_view job = step_of.substr(0, mark);
  if (job.empty()) return std::nullopt;
  const auto number = Whole<std::uint32_t>(job);
  if (!number.has_value()) return std::nullopt;
  id.job = *number;
  if (mark != std::string_view::npos) {
    id.kind = step_of[mark] == '_' ? Kind::kArrayTask : Kind::kComponent;
    const std::string_view member = step_of.substr(mark + 1);
    if (member.starts_with('[') && id.kind == Kind::kArrayTask) {
      id.kind = Kind::kWaiting;
    } else {
      if (member.empty()) return std::nullopt;
      const auto read = Whole<std::uint32_t>(member);
      if (!read.has_value()) return std::nullopt;
      id.member = *read;
    }
  }
  if (is_step) id.kind = Kind::kStep;
  return id;
}

}  // namespace coolspan
