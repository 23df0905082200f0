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
// file of that name. The holder may keep a note in it for the next one. Not
// thread-safe.
class FileLock {
 public:
  static constexpr std::size_t kMaxNoteBytes = 256;

  // Errors: FAILED_PRECONDITION (locked by another process), UNAVAILABLE (the
  // file cannot be created or opened).
  // option: that sets the path, for messages.
  static absl::StatusOr<FileLock> Take(const std::string& path,
                                       std::string_view option);
  FileLock(FileLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  // Empty: none.
  std::string ReadNote() const;
  // In one write, which survives the end of the process; a crash of the host
  // may leave an earlier note, or none. REQUIRES at most kMaxNoteBytes.
  void WriteNote(std::string_view note) const;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_FILE_LOCK_H_
