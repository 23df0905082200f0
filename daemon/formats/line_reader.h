// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_LINE_READER_H_
#define COOLSPAN_FORMATS_LINE_READER_H_

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace coolspan {

// The lines of a text file, plain or gzip (told by its content), in constant
// memory. Not thread-safe.
class LineReader {
 public:
  // Of numbers a person may look at; Open takes another limit.
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 10;

  // Keeps 256 KiB in memory, or four times the longest line where that is more.
  // Error: NOT_FOUND with the system's reason.
  static absl::StatusOr<LineReader> Open(
      const std::string& path, std::size_t max_line_bytes = kMaxLineBytes);

  // Reads the next line into line(), without its end; false after the last.
  // Errors: INVALID_ARGUMENT for a line over the limit, DATA_LOSS, after
  // the last whole line before it, where the file cannot be read on or its gzip
  // stream is damaged or breaks off.
  absl::StatusOr<bool> Next();

  // Valid until the next call of Next.
  std::string_view line() const { return line_; }
  std::uint64_t line_number() const { return line_number_; }  // from 1
  // "PATH:LINE: what".
  std::string At(std::string_view what) const;

 private:
  struct Closer {
    void operator()(gzFile file) const { gzclose(file); }
  };
  using File = std::unique_ptr<gzFile_s, Closer>;

  LineReader(std::string path, File file, std::size_t max_line_bytes);
  void Fill();

  std::string path_;
  File file_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is read and not yet given out
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::string failure_;  // why the end is none; empty: it is one
  std::string_view line_;
  std::uint64_t line_number_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_LINE_READER_H_
