// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"

namespace coolspan {
namespace {

bool IsNumber(const std::string& cell) {
  double value = 0;
  return cell == kNoValue || absl::SimpleAtod(cell, &value);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings)
    : headings_(std::move(headings)) {}

void TextTable::AddRow(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

void TextTable::Print(std::ostream& out) const {
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
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string gap(widths[c] - cells[c].size(), ' ');
      if (c > 0) line += "  ";
      line += right[c] ? gap + cells[c] : cells[c] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  };
  print(headings_);
  for (const auto& row : rows_) print(row);
}

std::string FormatNumber(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace coolspan
