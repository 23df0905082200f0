// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/number_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "absl/strings/match.h"
#include "formats/file_error.h"

namespace coolspan {

absl::StatusOr<NumberWords> NumberWords::Open(const std::string& path) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  return NumberWords(*std::move(lines));
}

NumberWords NumberWords::StartingAt(DataLines lines) {
  NumberWords words(std::move(lines));
  words.SplitLine();
  return words;
}

void NumberWords::SplitLine() {
  const std::string_view text = lines_.line();
  is_matrix_market_ =
      is_first_ &&
      absl::StartsWithIgnoreCase({text.data(), text.size()}, "%%MatrixMarket");
  is_first_ = false;
  words_ = Words(is_matrix_market_ ? text : text.substr(0, text.find('%')));
}

absl::StatusOr<bool> NumberWords::Next() {
  for (;;) {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok() || !*more) return more;
    SplitLine();
    if (!words_.empty()) return true;
  }
}

absl::StatusOr<double> NumberWords::Number(std::string_view word) const {
  double number = 0;
  const char* const end = word.data() + word.size();
  const char* const start =
      word.data() + (range_.allows_plus && word.front() == '+' ? 1 : 0);
  const auto [stop, error] = std::from_chars(start, end, number);
  if (stop != end || error == std::errc::invalid_argument) {
    return Error(word, fmt::format("{} is not a number (expected a number such "
                                   "as 0.00125 or 1.25e-3)",
                                   Quoted(word)));
  }
  if (error != std::errc() || !std::isfinite(number)) {
    return Error(word, fmt::format("{} is not finite or underflows (expected a "
                                   "finite number)",
                                   Quoted(word)));
  }
  if (number < range_.min || number > range_.max) {
    return Error(word, fmt::format("{} is out of range (expected a number from "
                                   "{} to {})",
                                   Quoted(word), range_.min, range_.max));
  }
  return number;
}

}  // namespace coolspan
