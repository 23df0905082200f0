// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/text_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 64U << 20;

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return absl::NotFoundError(fmt::format("{}: no such file", path));
  }
  if (!std::filesystem::exists(status)) {
    return absl::NotFoundError(
        fmt::format("{}: cannot open file: {}", path, error.message()));
  }
  if (std::filesystem::is_directory(status)) {
    return ErrorAt(path, {}, "is a directory (expected a file)");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return ErrorAt(path, {}, "cannot open file (check its permissions)");
  }
  std::string text;
  std::vector<char> block(1U << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) {
      return ErrorAt(path, {}, "file is too large (expected at most 64 MiB)");
    }
  }
  return text;
}

}  // namespace coolspan
