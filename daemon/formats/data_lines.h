// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_DATA_LINES_H_
#define COOLSPAN_FORMATS_DATA_LINES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/line_reader.h"

namespace coolspan {

// Characters that separate words or are left out at their ends.
inline constexpr std::string_view kBlanks = " \t\r\v\f";

// A field of a CSV line without the blanks and quotes around it. A blank field
// is empty, at the start of the text: errors give its column.
std::string_view CsvField(std::string_view text);

// The fields of a CSV line, each as CsvField.
std::vector<std::string_view> CsvFields(std::string_view line);

// The words of a text, separated by white space and commas.
std::vector<std::string_view> Words(std::string_view text);

// A number of decimal digits only; nullopt for anything else and for a number
// above 2^32 - 1.
std::optional<std::uint32_t> ParseNumber(std::string_view text);

// The lines of a data file, plain or gzip, without # comments and blank lines.
class DataLines {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

  // Errors: as LineReader::Open.
  static absl::StatusOr<DataLines> Open(const std::string& path);
  // Errors: as LineReader::Next.
  absl::StatusOr<bool> Next();

  // Valid until the next call of Next.
  std::string_view line() const { return line_; }
  int line_number() const { return static_cast<int>(lines_.line_number()); }
  // "PATH:LINE:COLUMN: message". part: the part of line() that the column
  // points to; column 1 if it is empty.
  absl::Status Error(std::string_view part, std::string_view message) const;

 private:
  DataLines(std::string path, LineReader lines)
      : path_(std::move(path)), lines_(std::move(lines)) {}

  std::string path_;
  LineReader lines_;
  std::string_view line_;
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_DATA_LINES_H_
