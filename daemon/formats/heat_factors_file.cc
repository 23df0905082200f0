// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heat_factors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "formats/file_error.h"
#include "formats/number_words.h"

namespace coolspan {
namespace {

using Factors = LowRankHeat::Factors;

constexpr std::uint32_t kMaxZones = 1U << 22;
constexpr std::uint32_t kMaxCells = 1U << 16;

using EntriesField = std::vector<MatrixEntry> Factors::*;

// How a factor is written: "NAME LINE FIRST VALUE...".
struct FactorFormat {
  std::string_view name;
  EntriesField entries;
  bool lines_are_cells;   // LINE is a cell, else a zone
  bool values_are_cells;  // FIRST is a cell, else a zone
  bool along_columns;     // a line of the file is a column of the matrix
};
constexpr FactorFormat kFactors[] = {
    {"near", &Factors::near, false, false, false},
    {"draw", &Factors::draw, true, false, true},
    {"flow", &Factors::flow, true, true, false},
    {"emit", &Factors::emit, true, false, false},
};

class HeatFactorsReader {
 public:
  explicit HeatFactorsReader(NumberWords lines) : lines_(std::move(lines)) {}

  absl::StatusOr<Factors> Read() {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok()) return more.status();
    absl::Status status =
        *more ? ReadSizes()
              : lines_.Error({}, "file is empty " + ExpectedSizes());
    if (!status.ok()) return status;
    while (true) {
      more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) return std::move(factors_);
      if (status = ReadLine(); !status.ok()) return status;
    }
  }

 private:
  static std::string ExpectedSizes() {
    return fmt::format(
        "(expected \"{} N cells M\", N from 1 to {}, M from 0 to {})",
        kHeatFactorsWord, kMaxZones, kMaxCells);
  }
  absl::Status ReadSizes();
  absl::Status ReadLine();
  absl::Status ReadValues(const FactorFormat& factor,
                          std::span<const std::string_view> words,
                          std::uint32_t line, std::uint32_t first);

  NumberWords lines_;
  Factors factors_;
};

absl::Status HeatFactorsReader::ReadSizes() {
  const std::vector<std::string_view>& words = lines_.line();
  if (words.size() == 4 && words[0] == kHeatFactorsWord &&
      words[2] == "cells") {
    const auto zones = ParseNumber(words[1]);
    const auto cells = ParseNumber(words[3]);
    if (zones && *zones >= 1 && *zones <= kMaxZones && cells &&
        *cells <= kMaxCells) {
      factors_.zones = *zones;
      factors_.cells = *cells;
      return absl::OkStatus();
    }
  }
  return lines_.Error(
      words[0], "first line is not the size of a matrix " + ExpectedSizes());
}

absl::Status HeatFactorsReader::ReadLine() {
  const std::vector<std::string_view>& words = lines_.line();
  const auto* const factor = std::find_if(
      std::begin(kFactors), std::end(kFactors),
      [&words](const FactorFormat& format) { return format.name == words[0]; });
  if (factor == std::end(kFactors)) {
    return lines_.Error(words[0], fmt::format("{} is not a factor (expected "
                                              "near, draw, flow or emit)",
                                              Quoted(words[0])));
  }
  if (words.size() < 4) {
    return lines_.Error(words[0],
                        fmt::format("no value (expected \"{} LINE FIRST "
                                    "VALUE...\")",
                                    factor->name));
  }
  const std::uint32_t lines =
      factor->lines_are_cells ? factors_.cells : factors_.zones;
  const std::uint32_t length =
      factor->values_are_cells ? factors_.cells : factors_.zones;
  const auto line = ParseNumber(words[1]);
  if (!line || *line >= lines) {
    return lines_.Error(
        words[1],
        fmt::format("{} is not a {} (expected a number below {})",
                    Quoted(words[1]), factor->lines_are_cells ? "cell" : "zone",
                    lines));
  }
  const std::size_t values = words.size() - 3;
  const auto first = ParseNumber(words[2]);
  if (!first || *first >= length || values > length - *first) {
    return lines_.Error(
        words[2],
        fmt::format("{} value{} from {} {} (expected {}s below {})", values,
                    values == 1 ? "" : "s",
                    factor->values_are_cells ? "cell" : "zone",
                    Quoted(words[2]),
                    factor->values_are_cells ? "cell" : "zone", length));
  }
  return ReadValues(*factor, std::span(words).subspan(3), *line, *first);
}

absl::Status HeatFactorsReader::ReadValues(
    const FactorFormat& factor, std::span<const std::string_view> words,
    std::uint32_t line, std::uint32_t first) {
  std::uint32_t index = first;
  for (const std::string_view word : words) {
    const absl::StatusOr<double> value = lines_.Number(word);
    if (!value.ok()) return value.status();
    (factors_.*factor.entries)
        .push_back(factor.along_columns ? MatrixEntry{index, line, *value}
                                        : MatrixEntry{line, index, *value});
    ++index;
  }
  return absl::OkStatus();
}

// Consecutive values share a line.
void WriteFactor(const FactorFormat& factor, std::vector<MatrixEntry> entries,
                 std::ostream& out) {
  constexpr std::size_t kMaxValuesPerLine = 64;
  const auto line_of = [&factor](const MatrixEntry& entry) {
    return factor.along_columns ? std::pair(entry.column, entry.row)
                                : std::pair(entry.row, entry.column);
  };
  std::sort(entries.begin(), entries.end(),
            [&line_of](const MatrixEntry& a, const MatrixEntry& b) {
              return line_of(a) < line_of(b);
            });
  std::string text;
  for (std::size_t i = 0; i < entries.size();) {
    auto [line, index] = line_of(entries[i]);
    text.clear();
    fmt::format_to(std::back_inserter(text), "{} {} {}", factor.name, line,
                   index);
    for (std::size_t count = 0;
         count < kMaxValuesPerLine && i < entries.size() &&
         line_of(entries[i]) == std::pair(line, index);
         ++count, ++i, ++index) {
      fmt::format_to(std::back_inserter(text), " {:.6g}", entries[i].value);
    }
    out << text << '\n';
  }
}

}  // namespace

absl::StatusOr<Factors> ReadHeatFactors(const std::string& path) {
  auto lines = NumberWords::Open(path);
  if (!lines.ok()) return lines.status();
  return HeatFactorsReader(*std::move(lines)).Read();
}

void WriteHeatFactors(const Factors& factors, std::ostream& out) {
  out << "# D = near + draw flow emit, K/W: see coolspan-machine(5).\n"
      << kHeatFactorsWord << ' ' << factors.zones << " cells " << factors.cells
      << '\n';
  for (const FactorFormat& factor : kFactors) {
    WriteFactor(factor, factors.*factor.entries, out);
  }
}

}  // namespace coolspan
