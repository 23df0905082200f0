// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pattern_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <vector>

#include "formats/pattern_file.h"

namespace coolspan {
namespace {

std::string KindNames() {
  std::vector<std::string_view> names;
  for (const GeneratedPattern& kind : GeneratedPatternTable()) {
    names.push_back(kind.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

absl::StatusOr<PatternChoice> PatternChoice::Read(const std::string& text) {
  PatternChoice choice;
  choice.kind_ = FindGeneratedPattern(text);
  if (choice.kind_ != nullptr) return choice;
  if (text.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "--pattern is empty (expected a file, or one of {})", KindNames()));
  }
  auto file = ReadPatternFile(text);
  std::error_code ignored;
  // Not for a name that leads to a file that cannot be read.
  if (!file.ok() && std::filesystem::status(text, ignored).type() ==
                        std::filesystem::file_type::not_found) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: no such file (expected a file, or one of {})", text, KindNames()));
  }
  if (!file.ok()) return file.status();
  choice.file_ = *std::move(file);
  return choice;
}

absl::StatusOr<std::shared_ptr<const CommPattern>> PatternChoice::ForRanks(
    std::uint64_t ranks) const {
  if (kind_ == nullptr) return file_;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return MakeGeneratedPattern(
      *kind_, static_cast<std::uint32_t>(std::min(ranks, kMax)), 1);
}

}  // namespace coolspan
