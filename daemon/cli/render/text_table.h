// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_TEXT_TABLE_H_
#define COOLSPAN_CLI_RENDER_TEXT_TABLE_H_

#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "replies/number_text.h"

namespace coolspan {

// A table of aligned columns, two spaces apart. Columns of numbers are
// right-aligned.
class TextTable {
 public:
  static constexpr std::size_t kUnlimited =
      std::numeric_limits<std::size_t>::max();

  explicit TextTable(std::vector<std::string> headings);

  // REQUIRES as many cells as headings.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Columns that exceed the width continue below, after the first column again.
  void Print(std::ostream& out, std::size_t width = kUnlimited) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

// Between a number and the half width of its interval.
inline constexpr char kPlusMinus[] = " +-";
// A cell without a value.
inline constexpr char kNoValue[] = "-";

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_TEXT_TABLE_H_
