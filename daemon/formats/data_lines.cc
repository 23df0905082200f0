// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/data_lines.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/file_error.h"

namespace coolspan {

std::string_view CsvField(std::string_view text) {
  const auto is_kept = [](char c) {
    return c != '"' && kBlanks.find(c) == std::string_view::npos;
  };
  const auto first = std::find_if(text.begin(), text.end(), is_kept);
  if (first == text.end()) return text.substr(0, 0);
  const auto end = std::find_if(text.rbegin(), text.rend(), is_kept).base();
  return {first, end};
}

std::vector<std::string_view> CsvFields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(CsvField(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kSeparators = " \t\r\n\v\f,";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(kSeparators);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    words.push_back(text.substr(0, text.find_first_of(kSeparators)));
    text.remove_prefix(words.back().size());
  }
}

std::optional<std::uint32_t> ParseNumber(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

absl::StatusOr<DataLines> DataLines::Open(const std::string& path) {
  auto lines = LineReader::Open(path, kMaxLineBytes);
  if (!lines.ok()) return lines.status();
  return DataLines(path, *std::move(lines));
}

absl::StatusOr<bool> DataLines::Next() {
  while (true) {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok() || !*more) return more;
    line_ = lines_.line().substr(0, lines_.line().find('#'));
    if (line_.find_first_not_of(kBlanks) != std::string_view::npos) return true;
  }
}

absl::Status DataLines::Error(std::string_view part,
                              std::string_view message) const {
  const bool in_line =
      part.data() >= line_.data() && part.data() < line_.data() + line_.size();
  const int column =
      in_line ? static_cast<int>(part.data() - line_.data()) + 1 : 1;
  return ErrorAt(path_, {line_number(), column}, message);
}

}  // namespace coolspan
