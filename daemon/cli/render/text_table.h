// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_TEXT_TABLE_H_
#define COOLSPAN_CLI_RENDER_TEXT_TABLE_H_

#include <ostream>
#include <string>
#include <vector>

namespace coolspan {

// Columns for people: as wide as their widest cell, two spaces apart, those
// that hold only numbers aligned to the right.
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

// At most three decimals, no trailing zeros; "-" stands for what isn't there.
std::string FormatNumber(double value);
inline constexpr char kNotThere[] = "-";

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_TEXT_TABLE_H_
