// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OUTPUT_REPLACED_FILE_H_
#define COOLSPAN_REPLAY_OUTPUT_REPLACED_FILE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace coolspan {

// The path that stands for standard output.
inline constexpr std::string_view kStandardOutput = "-";
// Opens a file to write to it, or standard output; nullptr with errno: failed.
std::FILE* OpenOutput(const std::string& path, const char* mode);

// A file that appears complete or not at all: it is written under a temporary
// name in the same folder and renamed. What is not a regular file, as a pipe or
// /dev/stdout, is written directly. Not thread-safe.
class ReplacedFile {
 public:
  // Creates the temporary file, so that a path that cannot be written is an
  // error before long work. Error: INVALID_ARGUMENT with the path and the
  // reason of the system.
  static absl::StatusOr<std::unique_ptr<ReplacedFile>> Create(
      const std::string& path);
  // Removes the temporary file unless it was renamed.
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  // Errors of both: as Create. After Finish, nothing may be written.
  absl::Status Write(std::string_view text);
  absl::Status Finish();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  explicit ReplacedFile(std::string path) : path_(std::move(path)) {}
  absl::Status Open();
  absl::Status NotWritten() const;  // reads errno

  const std::string path_;
  std::string target_;     // path_ without symbolic links
  std::string temporary_;  // empty: written directly
  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OUTPUT_REPLACED_FILE_H_
