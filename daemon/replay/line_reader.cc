// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/line_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace coolspan {
namespace {

constexpr std::size_t kBufferBytes = 4 * LineReader::kMaxLineBytes;

std::string SystemReason() {
  return errno == 0 ? "out of memory" : std::strerror(errno);
}

}  // namespace

LineReader::LineReader(std::string path, File file)
    : path_(std::move(path)), file_(std::move(file)), buffer_(kBufferBytes) {}

absl::StatusOr<LineReader> LineReader::Open(const std::string& path) {
  errno = 0;
  File file(gzopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    return absl::NotFoundError(
        fmt::format("{}: cannot be opened: {}", path, SystemReason()));
  }
  gzbuffer(file.get(), kBufferBytes);
  return LineReader(path, std::move(file));
}

std::string LineReader::At(std::string_view what) const {
  return fmt::format("{}:{}: {}", path_, line_number_, what);
}

absl::Status LineReader::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  errno = 0;
  const int got = gzread(file_.get(), buffer_.data() + end_,
                         static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* what = gzerror(file_.get(), &code);
  if (code == Z_ERRNO) {
    return absl::DataLossError(
        fmt::format("{}: cannot be read: {}", path_, SystemReason()));
  }
  if (code == Z_BUF_ERROR) {
    return absl::DataLossError(
        At("the gzip stream breaks off behind this line; want the whole file"));
  }
  if (got < 0 || code != Z_OK) {
    return absl::DataLossError(At(fmt::format(
        "the gzip stream is damaged behind this line ({}); want a file that "
        "gzip -t accepts",
        what)));
  }
  end_ += static_cast<std::size_t>(got);
  at_end_of_file_ = got == 0;
  return absl::OkStatus();
}

absl::StatusOr<bool> LineReader::Next() {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const std::size_t have = end_ - begin_;
    const void* newline = std::memchr(start + searched, '\n', have - searched);
    if (newline != nullptr || (at_end_of_file_ && have > 0)) {
      const std::size_t length =
          newline == nullptr ? have : static_cast<const char*>(newline) - start;
      if (length <= kMaxLineBytes) {
        line_ = {start, length};
        begin_ += length + (newline == nullptr ? 0 : 1);
        ++line_number_;
        return true;
      }
    }
    if (have > kMaxLineBytes) {
      ++line_number_;
      return absl::InvalidArgumentError(At(fmt::format(
          "the line is longer than {} bytes; want lines of 18 numbers",
          kMaxLineBytes)));
    }
    if (at_end_of_file_) return false;
    searched = have;
    if (const absl::Status filled = Fill(); !filled.ok()) return filled;
  }
}

}  // namespace coolspan
