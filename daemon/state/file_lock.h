// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_FILE_LOCK_H_
#define COOLSPAN_STATE_FILE_LOCK_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace coolspan {

// A lock on a file, released with the object, or when the process ends for any
// reason. The file is not removed: otherwise two processes could each lock a
// file of that name.
class FileLock {
 public:
  // Errors: FAILED_PRECONDITION (locked by another process), UNAVAILABLE (the
  // file cannot be created).
  // option: that sets the path, for messages.
  static absl::StatusOr<FileLock> Take(const std::string& path,
                                       std::string_view option);
  FileLock(FileLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_FILE_LOCK_H_
