// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/swf_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The field at the front of text, removed from it; empty at the end of line.
std::string_view TakeField(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && IsSpace(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !IsSpace(text[end])) ++end;
  const std::string_view field = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return field;
}

// Nearly all fields of archived logs are whole numbers. Parsing them without
// from_chars halves the time to read a log.
std::optional<double> ParseField(std::string_view field) {
  constexpr std::size_t kExactDigits = 15;
  const bool negative = field.front() == '-';
  const std::string_view digits = field.substr(negative ? 1 : 0);
  if (!digits.empty() && digits.size() <= kExactDigits) {
    std::int64_t whole = 0;
    std::size_t i = 0;
    for (; i < digits.size() && absl::ascii_isdigit(digits[i]); ++i) {
      whole = whole * 10 + (digits[i] - '0');
    }
    if (i == digits.size()) {
      return static_cast<double>(negative ? -whole : whole);
    }
  }
  double value = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// A field that is not a number, printable and shortened.
std::string Shown(std::string_view field) {
  constexpr std::size_t kShownBytes = 24;
  for (const char c : field) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) {
      return fmt::format("binary data (byte 0x{:02x})",
                         static_cast<unsigned char>(c));
    }
  }
  return fmt::format("'{}{}'", field.substr(0, kShownBytes),
                     field.size() > kShownBytes ? "..." : "");
}

}  // namespace

absl::StatusOr<SwfReader> SwfReader::Open(const std::string& path) {
  absl::StatusOr<LineReader> lines = LineReader::Open(path);
  if (!lines.ok()) return lines.status();
  return SwfReader(*std::move(lines), false);
}

absl::StatusOr<bool> SwfReader::Next() {
  for (;;) {
    if (!has_line_) {
      absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok() || !*more) return more;
    }
    has_line_ = false;
    std::string_view line = lines_.line();
    while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == ';') continue;
    if (const absl::Status parsed = Parse(line); !parsed.ok()) return parsed;
    TakeJob();
    return true;
  }
}

void SwfReader::TakeJob() {
  job_ = {.number = record_.job_number(),
          .submit_s = record_.submit_s(),
          .run_s = record_.run_s(),
          .estimate_s = record_.estimate_s(),
          .has_estimate = record_.has_estimate(),
          .size = record_.processors(),
          .user = record_.user(),
          .group = record_.group(),
          .partition = record_.partition(),
          .extra_fields = record_.extra_fields};
  if (record_.wait_s() >= 0) job_.start_s = job_.submit_s + record_.wait_s();
}

absl::Status SwfReader::Parse(std::string_view line) {
  for (std::size_t i = 0; i < SwfRecord::kFields; ++i) {
    const std::string_view field = TakeField(line);
    if (field.empty()) {
      return absl::InvalidArgumentError(
          At(fmt::format("{} {} (expected 18, -1 for unknown values)", i,
                         i == 1 ? "field" : "fields")));
    }
    const std::optional<double> value = ParseField(field);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          At(fmt::format("field {} is {} (expected a number; the file is plain "
                         "text or gzip)",
                         i + 1, Shown(field))));
    }
    record_.fields[i] = *value;
  }
  record_.extra_fields = 0;
  while (!TakeField(line).empty()) ++record_.extra_fields;
  return absl::OkStatus();
}

}  // namespace coolspan
