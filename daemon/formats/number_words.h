// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_NUMBER_WORDS_H_
#define COOLSPAN_FORMATS_NUMBER_WORDS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/data_lines.h"

namespace coolspan {

// The lines of a file of numbers, cut into words. What stands behind a # or %
// is a comment, but the first line of a MatrixMarket file.
class NumberWords {
 public:
  // Errors: LineReader's.
  static absl::StatusOr<NumberWords> Open(const std::string& path);

  // The next line that has words; false after the last. Errors: LineReader's.
  absl::StatusOr<bool> Next();
  // Valid until the next call of Next.
  const std::vector<std::string_view>& line() const { return words_; }
  // Whether the line is the first, and says so.
  bool is_matrix_market() const { return is_matrix_market_; }

  // Errors: INVALID_ARGUMENT at the word: no number, or none that is finite.
  absl::StatusOr<double> Number(std::string_view word) const;
  // word: of line(), or empty for none.
  absl::Status Error(std::string_view word, std::string_view message) const {
    return lines_.Error(word, message);
  }

 private:
  explicit NumberWords(DataLines lines) : lines_(std::move(lines)) {}

  DataLines lines_;
  std::vector<std::string_view> words_;
  bool is_first_ = true;
  bool is_matrix_market_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_NUMBER_WORDS_H_
