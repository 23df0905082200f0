// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace coolspan {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

std::string SystemReason() {
  return errno == 0 ? "out of memory" : std::generic_category().message(errno);
}

}  // namespace

LineReader::LineReader(std::string path, File file, std::size_t max_line_bytes)
    : path_(std::move(path)),
      file_(std::move(file)),
      max_line_bytes_(max_line_bytes),
      buffer_(kBufferBytes) {
  gzbuffer(file_.get(), kBufferBytes);
}

absl::StatusOr<LineReader> LineReader::Open(const std::string& path,
                                            std::size_t max_line_bytes) {
  errno = 0;
  File file(gzopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    return absl::NotFoundError(
        fmt::format("{}: cannot open file: {}", path, SystemReason()));
  }
  return LineReader(path, std::move(file), max_line_bytes);
}

std::string LineReader::At(std::string_view what) const {
  return fmt::format("{}:{}: {}", path_, line_number_, what);
}

void LineReader::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ > buffer_.size() / 2) buffer_.resize(2 * buffer_.size());
  errno = 0;
  const int got = gzread(file_.get(), buffer_.data() + end_,
                         static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* what = gzerror(file_.get(), &code);
  if (code == Z_ERRNO) {
    failure_ = fmt::format("cannot read file: {}", SystemReason());
  } else if (code == Z_BUF_ERROR) {
    failure_ = "gzip stream is truncated (expected a complete file)";
  } else if (code != Z_OK) {
    failure_ = fmt::format(
        "gzip stream is damaged: {} (expected a file that gzip -t accepts)",
        what);
  }
  end_ += static_cast<std::size_t>(std::max(got, 0));
  at_end_ = got <= 0 || !failure_.empty();
}

// What gzread passes on as it is.
std::string_view LineReader::OtherCompression() const {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> kMagics[] = {
      {"\xFD"
       "7zXZ"sv,
       "xz"},
      {"BZh"sv, "bzip2"},
      {"\x28\xB5\x2F\xFD"sv, "zstd"},
      {"PK\x03\x04"sv, "zip"}};
  const std::string_view bytes(buffer_.data() + begin_, end_ - begin_);
  for (const auto& [magic, name] : kMagics) {
    if (bytes.starts_with(magic)) return name;
  }
  return {};
}

absl::StatusOr<bool> LineReader::Next() {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const std::size_t have = end_ - begin_;
    const void* newline = std::memchr(start + searched, '\n', have - searched);
    const std::size_t length =
        newline == nullptr ? have : static_cast<const char*>(newline) - start;
    if (length > max_line_bytes_) {
      ++line_number_;
      return absl::InvalidArgumentError(At(fmt::format(
          "line is too long (expected at most {} bytes)", max_line_bytes_)));
    }
    if (newline != nullptr || (at_end_ && failure_.empty() && have > 0)) {
      line_ = {start, length};
      begin_ += length + (newline == nullptr ? 0 : 1);
      ++line_number_;
      constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
      if (line_number_ == 1 && line_.starts_with(kByteOrderMark)) {
        line_.remove_prefix(kByteOrderMark.size());
      }
      return true;
    }
    if (at_end_ && failure_.empty()) return false;
    if (at_end_) {
      ++line_number_;
      return absl::DataLossError(At(failure_));
    }
    searched = have;
    const bool is_begin = line_number_ == 0 && have == 0;
    Fill();
    if (const auto other = OtherCompression(); is_begin && !other.empty()) {
      ++line_number_;
      return absl::InvalidArgumentError(At(fmt::format(
          "compressed with {} (expected plain text or gzip)", other)));
    }
  }
}

}  // namespace coolspan
