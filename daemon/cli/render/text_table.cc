// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"

namespace coolspan {
namespace {

constexpr std::string_view kColumnGap = "  ";

// A number, or one with the half width of its interval: "12.5 +-0.3".
bool IsNumber(const std::string& cell) {
  double value = 0;
  return cell == kNoValue ||
         absl::SimpleAtod(cell.substr(0, cell.find(kPlusMinus)), &value);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings)
    : headings_(std::move(headings)) {}

void TextTable::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

void TextTable::Print(std::ostream& out, std::size_t width) const {
  const std::size_t columns = headings_.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> right(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = headings_[c].size();
    for (const auto& row : rows_) {
      widths[c] = std::max(widths[c], row[c].size());
    }
    right[c] = std::all_of(rows_.begin(), rows_.end(),
                           [c](const auto& row) { return IsNumber(row[c]); });
  }
  // The first column and those from begin to end.
  const auto print = [&](const std::vector<std::string>& cells,
                         std::size_t begin, std::size_t end) {
    std::string line;
    for (std::size_t c = 0; c < end; c = std::max(c + 1, begin)) {
      const std::string gap(widths[c] - cells[c].size(), ' ');
      if (c > 0) line += kColumnGap;
      line += right[c] ? gap + cells[c] : cells[c] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  };
  for (std::size_t begin = 1, end = begin;; begin = end) {
    std::size_t used = widths[0];
    for (; end < columns; ++end) {
      used += kColumnGap.size() + widths[end];
      if (end > begin && used > width) break;
    }
    if (begin > 1) out << "\n";
    print(headings_, begin, end);
    for (const auto& row : rows_) print(row, begin, end);
    if (end >= columns) break;
  }
}

}  // namespace coolspan
