// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_NUMBER_WORDS_H_
#define COOLSPAN_FORMATS_NUMBER_WORDS_H_

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/data_lines.h"

namespace coolspan {

// Bounds of the numbers of a file.
struct EntryRange {
  double min = -std::numeric_limits<double>::max();
  double max = std::numeric_limits<double>::max();
  bool allows_plus = true;  // a number may start with +
};

// The lines of a file of numbers, split into words. # and % start comments,
// except for the %%MatrixMarket of a first line.
class NumberWords {
 public:
  // Errors: as LineReader::Open.
  static absl::StatusOr<NumberWords> Open(const std::string& path);
  // Starts at the current line of lines, which is the first one with data, as
  // after Next.
  static NumberWords StartingAt(DataLines lines);

  // By default all finite numbers.
  void set_range(EntryRange range) { range_ = range; }

  // Moves to the next line with words; false at the end.
  // Errors: as LineReader::Next.
  absl::StatusOr<bool> Next();
  // Valid until the next call of Next.
  const std::vector<std::string_view>& line() const { return words_; }
  // Whether the current line is the header of a MatrixMarket file.
  bool is_matrix_market() const { return is_matrix_market_; }

  // word: part of line(). Errors: INVALID_ARGUMENT unless it is a finite
  // number in the range.
  absl::StatusOr<double> Number(std::string_view word) const;
  // word: part of line(), or empty.
  absl::Status Error(std::string_view word, std::string_view message) const {
    return lines_.Error(word, message);
  }

 private:
  explicit NumberWords(DataLines lines) : lines_(std::move(lines)) {}
  void SplitLine();

  DataLines lines_;
  std::vector<std::string_view> words_;
  EntryRange range_;
  bool is_first_ = true;
  bool is_matrix_market_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_NUMBER_WORDS_H_
