// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_TEXT_TABLE_H_
#define COOLSPAN_CLI_RENDER_TEXT_TABLE_H_

#include <ostream>
#include <string>
#include <vector>

namespace coolspan {

// A table of aligned columns, two spaces apart. Columns of numbers are
// right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings);

  // REQUIRES as many cells as headings.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  void Print(std::ostream& out) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

// At most three decimals, no trailing zeros.
std::string FormatNumber(double value);
// A cell without a value.
inline constexpr char kNoValue[] = "-";

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_TEXT_TABLE_H_
