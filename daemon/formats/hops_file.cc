// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/hops_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

class HopsReader {
 public:
  explicit HopsReader(DataLines lines) : lines_(std::move(lines)) {}

  absl::StatusOr<HopTable> Read() {
    while (true) {
      const absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (absl::Status status = AddRow(); !status.ok()) return status;
    }
    if (rows_ == 0 || rows_ < columns_) {
      return lines_.Error(
          {},
          fmt::format("matrix has {}, {} (expected as many rows as columns)",
                      Counted(rows_, "row"), Counted(columns_, "column")));
    }
    const std::uint16_t max = *std::max_element(hops_.begin(), hops_.end());
    HopTable table(static_cast<VertexId>(rows_), max);
    for (VertexId from = 0; from < rows_; ++from) {
      for (VertexId to = 0; to < columns_; ++to) {
        table.Set(from, to, hops_[from * columns_ + to]);
      }
    }
    return table;
  }

 private:
  absl::Status AddRow();
  absl::Status AddHops(std::string_view word, std::size_t column);

  DataLines lines_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::uint16_t> hops_;  // row by row
};

absl::Status HopsReader::AddRow() {
  const std::vector<std::string_view> words = Words(lines_.line());
  if (rows_ == 0) columns_ = words.size();
  if (columns_ > kMaxTableVertices) {
    return lines_.Error(
        {}, fmt::format("matrix has {} columns (expected at most {})", columns_,
                        kMaxTableVertices));
  }
  if (words.size() != columns_) {
    return lines_.Error({}, fmt::format("row {} has {} entries (expected {}, "
                                        "as in row 1)",
                                        rows_ + 1, words.size(), columns_));
  }
  if (rows_ == columns_) {
    return lines_.Error({}, fmt::format("matrix has more than {} "
                                        "(expected as many rows as columns)",
                                        Counted(rows_, "row")));
  }
  for (std::size_t column = 0; column < words.size(); ++column) {
    absl::Status status = AddHops(words[column], column);
    if (!status.ok()) return status;
  }
  ++rows_;
  return absl::OkStatus();
}

absl::Status HopsReader::AddHops(std::string_view word, std::size_t column) {
  const auto hops = ParseNumber(word);
  if (!hops || *hops > kMaxTableHops) {
    return lines_.Error(
        word, fmt::format("{} is not a number of hops (expected an integer "
                          "from 0 to {})",
                          Quoted(word), kMaxTableHops));
  }
  if (column == rows_ && *hops != 0) {
    return lines_.Error(word, fmt::format("row {}, column {}: {} hops from a "
                                          "node to itself (expected 0)",
                                          rows_ + 1, column + 1, *hops));
  }
  if (column < rows_ && *hops != hops_[column * columns_ + rows_]) {
    return lines_.Error(
        word, fmt::format("row {}, column {} is {}, row {}, column {} is {} "
                          "(expected a symmetric matrix)",
                          rows_ + 1, column + 1, *hops, column + 1, rows_ + 1,
                          hops_[column * columns_ + rows_]));
  }
  hops_.push_back(static_cast<std::uint16_t>(*hops));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HopTable> ReadHopsFile(const std::string& path) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  return HopsReader(*std::move(lines)).Read();
}

}  // namespace coolspan
