// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/set_aside.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "state/file_lock.h"
#include "state/sqlite_file.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

std::string NewName(const std::string& path, std::string_view reason) {
  const std::time_t now =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  const std::string name =
      fmt::format("{}.{}-{:%Y%m%dT%H%M%SZ}", path, reason, utc);
  std::string candidate = name;
  for (int i = 2; IsTaken(candidate); ++i) {
    candidate = fmt::format("{}-{}", name, i);
  }
  return candidate;
}

}  // namespace

bool IsTaken(const std::string& path) {
  std::error_code error;
  return std::ranges::any_of(kSqliteSuffixes, [&](const char* suffix) {
    return fs::exists(fs::symlink_status(path + suffix, error));
  });
}

void RenameBack(const std::string& name, const std::string& path) {
  std::error_code ignored;
  for (const char* const suffix : kSqliteSuffixes) {
    fs::rename(name + suffix, path + suffix, ignored);
  }
}

absl::StatusOr<std::string> RenameAside(const std::string& path,
                                        std::string_view reason) {
  const std::string name = NewName(path, reason);
  for (const char* const suffix : kSqliteSuffixes) {
    std::error_code error;
    fs::rename(path + suffix, name + suffix, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      return absl::UnavailableError(
          fmt::format("{}{}: cannot be renamed to {}{} ({})", path, suffix,
                      name, suffix, error.message()));
    }
  }
  return name;
}

absl::StatusOr<std::string> SetAside(const std::string& path,
                                     std::string_view option) {
  const std::string resolved = ResolvedPath(path);
  const auto lock = FileLock::Take(LockPath(resolved), option);
  if (!lock.ok()) return lock.status();
  auto name = RenameAside(resolved, "corrupt");
  // It is about the file that was renamed.
  if (name.ok()) lock->WriteNote("");
  return name;
}

}  // namespace coolspan
