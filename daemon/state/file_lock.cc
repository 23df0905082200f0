// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace coolspan {

absl::StatusOr<FileLock> FileLock::Take(const std::string& path,
                                        std::string_view option) {
  // Not through a symbolic link: the note would be written over its target.
  const int descriptor =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
           0640);
  if (descriptor < 0 && errno == ELOOP) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: is a symbolic link (expected a file of the daemon's own); remove "
        "it",
        path));
  }
  if (descriptor < 0) {
    return absl::UnavailableError(
        fmt::format("{}: cannot be opened or created ({}); check the "
                    "directory and the permissions",
                    path, std::generic_category().message(errno)));
  }
  FileLock lock(descriptor);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(
        fmt::format("{}: is not a regular file; remove it", path));
  }
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

std::string FileLock::ReadNote() const {
  std::string note(kMaxNoteBytes, '\0');
  const ssize_t bytes = pread(descriptor_, note.data(), note.size(), 0);
  note.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return note;
}

void FileLock::WriteNote(std::string_view note) const {
  const ssize_t bytes = pwrite(descriptor_, note.data(), note.size(), 0);
  // A part of a note would mislead.
  const auto kept = bytes == static_cast<ssize_t>(note.size()) ? bytes : 0;
  if (ftruncate(descriptor_, kept) != 0) return;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace coolspan
