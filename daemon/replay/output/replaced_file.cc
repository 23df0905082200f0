// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/output/replaced_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace coolspan {

namespace fs = std::filesystem;

absl::Status ReplacedFile::NotWritten() const {
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written: {}", path_,
                  std::generic_category().message(errno)));
}

absl::StatusOr<std::unique_ptr<ReplacedFile>> ReplacedFile::Create(
    const std::string& path) {
  std::unique_ptr<ReplacedFile> file(new ReplacedFile(path));
  if (absl::Status opened = file->Open(); !opened.ok()) return opened;
  return file;
}

std::FILE* OpenOutput(const std::string& path, const char* mode) {
  if (path != kStandardOutput) return std::fopen(path.c_str(), mode);
  const int copy = dup(STDOUT_FILENO);
  return copy < 0 ? nullptr : fdopen(copy, "w");
}

absl::Status ReplacedFile::Open() {
  if (path_ == kStandardOutput) {
    file_.reset(OpenOutput(path_, "we"));
    return file_ == nullptr ? NotWritten() : absl::OkStatus();
  }
  std::error_code failed;
  const fs::file_status status = fs::status(path_, failed);
  target_ = path_;
  if (fs::is_symlink(fs::symlink_status(path_, failed)) &&
      fs::is_regular_file(status)) {
    target_ = fs::canonical(path_, failed);
  }
  if (!fs::exists(status)) {
    // A name without a file, or with an error that opening it tells.
    temporary_ = target_;
  } else if (fs::is_regular_file(status)) {
    if (access(target_.c_str(), W_OK) != 0) return NotWritten();
    temporary_ = target_;
  }
  if (!temporary_.empty()) temporary_ += fmt::format(".{}.tmp", getpid());
  const std::string& opened = temporary_.empty() ? target_ : temporary_;
  // x: never another program's file.
  file_.reset(std::fopen(opened.c_str(), temporary_.empty() ? "we" : "wxe"));
  if (file_ != nullptr) return absl::OkStatus();
  temporary_.clear();
  return NotWritten();
}

ReplacedFile::~ReplacedFile() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

absl::Status ReplacedFile::Write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) < text.size()) {
    return NotWritten();
  }
  return absl::OkStatus();
}

absl::Status ReplacedFile::Finish() {
  if (std::fclose(file_.release()) != 0) return NotWritten();
  if (temporary_.empty()) return absl::OkStatus();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return NotWritten();
  }
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace coolspan
