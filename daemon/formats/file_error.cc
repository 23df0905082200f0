// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/file_error.h"

#include <fmt/format.h>

namespace coolspan {

absl::Status ErrorAt(const std::string& file, Place place,
                     std::string_view message) {
  if (place.line == 0) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", file, message));
  }
  return absl::InvalidArgumentError(
      fmt::format("{}:{}:{}: {}", file, place.line, place.column, message));
}

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

std::string Printable(std::string_view text) {
  constexpr std::size_t kMaxBytes = 100;
  std::string line;
  for (const char c : text.substr(0, kMaxBytes)) {
    const bool printable = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    line += printable ? std::string(1, c)
                      : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > kMaxBytes ? line + "..." : line;
}

std::string Quoted(std::string_view text) {
  return fmt::format("\"{}\"", Printable(text));
}

}  // namespace coolspan
