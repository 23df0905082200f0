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

// One of the four: where it is, and what its lines in a file run along.
struct FactorEntry {
  std::string_view name;
  std::vector<MatrixEntry> Factors::*entries;
  bool lines_are_cells;
  bool places_are_cells;
  bool along_columns;  // a line of the file is a column of the matrix
};
constexpr FactorEntry kFactors[] = {
    {"near", &Factors::near, false, false, false},
    {"draw", &Factors::draw, true, false, true},
    {"flow", &Factors::flow, true, true, false},
    {"emit", &Factors::emit, true, false, false},
};

class Reader {
 public:
  explicit Reader(NumberWords lines) : lines_(std::move(lines)) {}

  absl::StatusOr<Factors> Read() {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok()) return more.status();
    absl::Status status =
        *more ? ReadSizes() : lines_.Error({}, "the file is empty; " + Sizes());
    if (!status.ok()) return status;
    while (true) {
      more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) return std::move(factors_);
      if (status = ReadLine(); !status.ok()) return status;
    }
  }

 private:
  static std::string Sizes() {
    return fmt::format(
        "\"{} N cells M\" is wanted first, N from 1 to {}, M "
        "from 0 to {}",
        kHeatFactorsWord, kMaxZones, kMaxCells);
  }
  absl::Status ReadSizes();
  absl::Status ReadLine();
  absl::Status ReadValues(const FactorEntry& factor,
                          std::span<const std::string_view> words,
                          std::uint32_t line, std::uint32_t place);

  NumberWords lines_;
  Factors factors_;
};

absl::Status Reader::ReadSizes() {
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
  return lines_.Error(words[0],
                      "these are not the sizes of a matrix; " + Sizes());
}

absl::Status Reader::ReadLine() {
  const std::vector<std::string_view>& words = lines_.line();
  const auto* const factor = std::find_if(
      std::begin(kFactors), std::end(kFactors),
      [&words](const FactorEntry& entry) { return entry.name == words[0]; });
  if (factor == std::end(kFactors)) {
    return lines_.Error(words[0], fmt::format("{} is no factor; near, draw, "
                                              "flow or emit is wanted",
                                              Quoted(words[0])));
  }
  if (words.size() < 4) {
    return lines_.Error(words[0],
                        "there is no value; a line, a place in it and values "
                        "from there on are wanted");
  }
  const std::uint32_t lines =
      factor->lines_are_cells ? factors_.cells : factors_.zones;
  const std::uint32_t places =
      factor->places_are_cells ? factors_.cells : factors_.zones;
  const auto line = ParseNumber(words[1]);
  if (!line || *line >= lines) {
    return lines_.Error(
        words[1],
        fmt::format("{} is no {}; a number below {} is wanted",
                    Quoted(words[1]), factor->lines_are_cells ? "cell" : "zone",
                    lines));
  }
  const std::size_t values = words.size() - 3;
  const auto place = ParseNumber(words[2]);
  if (!place || *place >= places || values > places - *place) {
    return lines_.Error(
        words[2],
        fmt::format("{} value{} from {} on go beyond the last {}; there are {}",
                    values, values == 1 ? "" : "s", Quoted(words[2]),
                    factor->places_are_cells ? "cell" : "zone", places));
  }
  return ReadValues(*factor, std::span(words).subspan(3), *line, *place);
}

absl::Status Reader::ReadValues(const FactorEntry& factor,
                                std::span<const std::string_view> words,
                                std::uint32_t line, std::uint32_t place) {
  for (const std::string_view word : words) {
    const absl::StatusOr<double> value = lines_.Number(word);
    if (!value.ok()) return value.status();
    (factors_.*factor.entries)
        .push_back(factor.along_columns ? MatrixEntry{place, line, *value}
                                        : MatrixEntry{line, place, *value});
    ++place;
  }
  return absl::OkStatus();
}

// Values that follow each other share a line, so many at most.
void WriteFactor(const FactorEntry& factor, std::vector<MatrixEntry> entries,
                 std::ostream& out) {
  constexpr std::size_t kMaxInALine = 64;
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
    auto [line, place] = line_of(entries[i]);
    text.clear();
    fmt::format_to(std::back_inserter(text), "{} {} {}", factor.name, line,
                   place);
    for (std::size_t count = 0; count < kMaxInALine && i < entries.size() &&
                                line_of(entries[i]) == std::pair(line, place);
         ++count, ++i, ++place) {
      fmt::format_to(std::back_inserter(text), " {:.6g}", entries[i].value);
    }
    out << text << '\n';
  }
}

}  // namespace

absl::StatusOr<Factors> ReadHeatFactors(const std::string& path) {
  auto lines = NumberWords::Open(path);
  if (!lines.ok()) return lines.status();
  return Reader(*std::move(lines)).Read();
}

void WriteHeatFactors(const Factors& factors, std::ostream& out) {
  out << "# D = near + draw flow emit, K/W: see coolspan-machine(5).\n"
      << kHeatFactorsWord << ' ' << factors.zones << " cells " << factors.cells
      << '\n';
  for (const FactorEntry& factor : kFactors) {
    WriteFactor(factor, factors.*factor.entries, out);
  }
}

}  // namespace coolspan
