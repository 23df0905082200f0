// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace coolspan {

absl::StatusOr<FileLock> FileLock::Take(const std::string& path,
                                        std::string_view option) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) {
    return absl::UnavailableError(
        fmt::format("{}: cannot be created ({}); check the directory and its "
                    "permissions",
                    path, std::generic_category().message(errno)));
  }
  FileLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return absl::UnavailableError(
          fmt::format("{}: cannot be locked ({})", path,
                      std::generic_category().message(errno)));
    }
    return absl::FailedPreconditionError(fmt::format(
        "{}: the state file is in use by another daemon; stop it, or set "
        "another path in {}",
        path, option));
  }
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace coolspan
