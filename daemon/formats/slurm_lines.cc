// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/slurm_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

bool IsKeyCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.';
}

bool IsOperator(char c) { return c == '+' || c == '-' || c == '*' || c == '/'; }

// The first # that no backslash escapes; npos: none.
std::size_t CommentStart(std::string_view line) {
  bool escaped = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '#' && !escaped) return at;
    escaped = line[at] == '\\' && !escaped;
  }
  return std::string_view::npos;
}

}  // namespace

absl::StatusOr<SlurmLines> SlurmLines::Open(const std::string& path) {
  auto lines = LineReader::Open(path, DataLines::kMaxLineBytes);
  if (!lines.ok()) return lines.status();
  return SlurmLines(path, *std::move(lines));
}

// As in Slurm, the comment is removed first; then a backslash at the end,
// blanks after it allowed, joins the next line.
absl::StatusOr<bool> SlurmLines::JoinNext() {
  line_.clear();
  pieces_.clear();
  while (true) {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok()) return more;
    if (!*more) return !pieces_.empty();
    pieces_.push_back({line_.size(), static_cast<int>(lines_.line_number())});
    std::string_view text =
        lines_.line().substr(0, CommentStart(lines_.line()));
    const std::size_t last = text.find_last_not_of(kBlanks);
    const bool goes_on = last != std::string_view::npos && text[last] == '\\';
    if (goes_on) text = text.substr(0, last);
    line_ += text;
    if (line_.size() > DataLines::kMaxLineBytes) {
      return ErrorAt(path_, {pieces_.back().line_number, 1},
                     fmt::format("continued line is too long (expected at most "
                                 "{} bytes)",
                                 DataLines::kMaxLineBytes));
    }
    if (!goes_on) return true;
  }
}

Place SlurmLines::PlaceAt(std::size_t offset) const {
  const auto next = std::upper_bound(
      pieces_.begin(), pieces_.end(), offset,
      [](std::size_t at, const Piece& piece) { return at < piece.offset; });
  const Piece& piece = *std::prev(next);
  return {piece.line_number, static_cast<int>(offset - piece.offset) + 1};
}

absl::Status SlurmLines::NotASetting(std::size_t at) const {
  const std::string_view line = line_;
  const std::size_t end = line.find_first_of(kBlanks, at);
  return ErrorAt(path_, PlaceAt(at),
                 fmt::format("{} is not a setting (expected KEY=VALUE)",
                             Quoted(line.substr(at, end - at))));
}

std::optional<SlurmSetting> SlurmLines::IncludeAt(std::size_t& at) const {
  constexpr std::string_view kInclude = "include";
  const std::string_view line = line_;
  const std::size_t end = at + kInclude.size();
  const std::size_t value = SkipBlanks(line, std::min(end, line.size()));
  if (value == line.size() || value == end ||
      absl::AsciiStrToLower(line_.substr(at, kInclude.size())) != kInclude) {
    return std::nullopt;
  }
  const std::string_view path =
      line.substr(value, line.find_first_of(kBlanks, value) - value);
  SlurmSetting include{.key = std::string(kInclude),
                       .written_key = line_.substr(at, kInclude.size()),
                       .value = std::string(path),
                       .key_place = PlaceAt(at),
                       .value_place = PlaceAt(value),
                       .is_include = true};
  at = value + path.size();
  return include;
}

absl::StatusOr<SlurmSetting> SlurmLines::SettingAt(std::size_t& at) const {
  const std::string_view line = line_;
  const std::size_t key = at;
  while (at < line.size() && IsKeyCharacter(line[at])) ++at;
  const std::size_t key_end = at;
  at = SkipBlanks(line, at);
  if (at < line.size() && IsOperator(line[at])) ++at;
  if (key_end == key || at == line.size() || line[at] != '=') {
    return NotASetting(key);
  }
  at = SkipBlanks(line, at + 1);
  const bool quoted = at < line.size() && line[at] == '"';
  const std::size_t value = quoted ? at + 1 : at;
  const std::size_t end =
      quoted ? line.find('"', value) : line.find_first_of(kBlanks, value);
  if (quoted && end == std::string_view::npos) {
    return ErrorAt(path_, PlaceAt(at),
                   "unclosed '\"' (expected '\"' after the value)");
  }
  const std::string_view text = line.substr(value, end - value);
  std::string written(line.substr(key, key_end - key));
  std::string lower = absl::AsciiStrToLower(written);
  at = value + text.size() + (quoted ? 1 : 0);
  return SlurmSetting{.key = std::move(lower),
                      .written_key = std::move(written),
                      .value = std::string(text),
                      .key_place = PlaceAt(key),
                      .value_place = PlaceAt(value)};
}

absl::StatusOr<SlurmLine> SlurmLines::Next() {
  std::vector<SlurmSetting> settings;
  while (settings.empty()) {
    const absl::StatusOr<bool> more = JoinNext();
    if (!more.ok()) return more.status();
    if (!*more) break;
    std::size_t at = SkipBlanks(line_, 0);
    if (auto include = IncludeAt(at); include.has_value()) {
      settings.push_back(*std::move(include));
      at = SkipBlanks(line_, at);
      if (at < line_.size()) return NotASetting(at);
    }
    for (; at < line_.size(); at = SkipBlanks(line_, at)) {
      auto setting = SettingAt(at);
      if (!setting.ok()) return setting.status();
      settings.push_back(*std::move(setting));
    }
  }
  return settings;
}

absl::StatusOr<std::vector<SlurmLine>> ReadSlurmLines(const std::string& path) {
  auto lines = SlurmLines::Open(path);
  if (!lines.ok()) return lines.status();
  std::vector<SlurmLine> all;
  while (true) {
    auto line = lines->Next();
    if (!line.ok()) return line.status();
    if (line->empty()) return all;
    all.push_back(*std::move(line));
  }
}

}  // namespace coolspan
