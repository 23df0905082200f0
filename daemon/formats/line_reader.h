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

// The lines of a text file, plain or gzip (detected by content), in constant
// memory. Not thread-safe.
class LineReader {
 public:
  // The default limit, for files that people read; Open takes another one.
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 10;

  // Buffers 256 KiB, or four times the longest line if that is more.
  // Errors: NOT_FOUND with the system's reason.
  static absl::StatusOr<LineReader> Open(
      const std::string& path, std::size_t max_line_bytes = kMaxLineBytes);

  // Reads the next line into line(), without the newline and, in the first
  // one, without a byte order mark of UTF-8; false at the end.
  // Errors: INVALID_ARGUMENT for a line over the limit; DATA_LOSS, after the
  // last complete line, for a read error and for a damaged or truncated gzip
  // stream.
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
  // "xz" and so on; empty: none.
  std::string_view OtherCompression() const;

  std::string path_;
  File file_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the buffered bytes not yet returned
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::string failure_;  // of reading; empty: none
  std::string_view line_;
  std::uint64_t line_number_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_LINE_READER_H_
