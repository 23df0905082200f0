// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pattern_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/counted.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"
#include "formats/matrix_market.h"

namespace coolspan {
namespace {

using Pattern = std::shared_ptr<const CommPattern>;
using PatternFields = std::vector<std::string_view>;

absl::StatusOr<Pattern> CreatePattern(const std::string& path,
                                      std::uint32_t ranks,
                                      std::vector<RankVolume> volumes) {
  auto pattern = CommPattern::Create(ranks, std::move(volumes));
  if (pattern.ok()) return pattern;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", path, MessageOf(pattern.status())));
}

// Of a line with commas, the fields between them, without an empty last one.
PatternFields Split(std::string_view line) {
  if (line.find(',') == std::string_view::npos) return Words(line);
  PatternFields fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(CsvField(line.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  if (fields.back().empty()) fields.pop_back();
  return fields;
}

// The lines of a pattern file that is not MatrixMarket.
class PatternReader {
 public:
  PatternReader(const std::string& path, DataLines lines)
      : path_(path), lines_(std::move(lines)) {}

  // Starts at the first line, which has been read.
  absl::StatusOr<Pattern> Read() {
    const PatternFields first = Split(lines_.line());
    if (first.empty()) return NoNumbers();
    const bool has_commas = lines_.line().find(',') != std::string_view::npos;
    absl::Status read;
    if (IsRankCount(first) || IsHeader(first)) {
      read = ReadHeader(first);
      if (read.ok()) read = ReadEdges();
    } else if (first.size() == kEdgeFields && !has_commas) {
      may_be_matrix_ = true;
      read = ReadEdge(first);
      if (read.ok()) read = ReadEdges();
    } else if (first.size() > 1 && !has_commas) {
      read = NoCommas(first);
    } else {
      read = ReadRows(first);
    }
    if (read.ok()) read = CheckDistinct();
    if (!read.ok()) return read;
    return CreatePattern(path_, ranks_, std::move(volumes_));
  }

 private:
  static constexpr std::size_t kEdgeFields = 3;

  static bool IsRankCount(const PatternFields& fields) {
    return fields.size() == 2 && fields[0] == "ranks";
  }
  static bool IsHeader(const PatternFields& fields) {
    return fields.size() == kEdgeFields && fields[0] == "from";
  }
  absl::Status NoNumbers() const {
    return lines_.Error({},
                        "line has no numbers (expected those of a row of the "
                        "matrix)");
  }

  absl::Status NoCommas(const PatternFields& first) const {
    return lines_.Error(
        first[0], fmt::format("line has {} separated by blanks (expected "
                              "commas between the numbers of a matrix, or "
                              "lines \"FROM TO BYTES\")",
                              Counted(first.size(), "number")));
  }

  absl::StatusOr<double> Bytes(std::string_view field) const {
    double bytes = 0;
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, bytes);
    if (stop == end && error == std::errc() && bytes >= 0 &&
        bytes <= CommPattern::kMaxBytes) {
      return bytes;
    }
    return lines_.Error(
        field,
        fmt::format("{} is not a number of bytes (expected a number from 0 to "
                    "{})",
                    Quoted(field), CommPattern::kMaxBytes));
  }

  absl::StatusOr<TaskRank> RankIn(std::string_view field) const {
    const std::uint32_t max =
        has_rank_count_ ? ranks_ - 1 : CommPattern::kMaxRanks - 1;
    const std::optional<std::uint32_t> rank = ParseNumber(field);
    if (rank.has_value() && *rank <= max) return *rank;
    return lines_.Error(field,
                        fmt::format("{} is not a rank (expected a whole number "
                                    "from 0 to {})",
                                    Quoted(field), max));
  }

  absl::Status ReadHeader(const PatternFields& fields) {
    if (!IsRankCount(fields)) return absl::OkStatus();
    const std::optional<std::uint32_t> count = ParseNumber(fields[1]);
    if (!count.has_value() || *count < 1 || *count > CommPattern::kMaxRanks) {
      return lines_.Error(
          fields[1],
          fmt::format("{} is not a number of ranks (expected a whole number "
                      "from 1 to {})",
                      Quoted(fields[1]), CommPattern::kMaxRanks));
    }
    ranks_ = *count;
    has_rank_count_ = true;
    return absl::OkStatus();
  }

  absl::Status ReadEdges() {
    bool may_be_header = has_rank_count_;
    while (true) {
      const absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      const PatternFields fields = Split(lines_.line());
      if (std::exchange(may_be_header, false) && IsHeader(fields)) continue;
      absl::Status read = ReadEdge(fields);
      if (!read.ok()) return read;
    }
    // Three lines of three numbers.
    if (may_be_matrix_ && volumes_.size() == kEdgeFields) {
      return ErrorAt(path_, {static_cast<int>(line_of_.front()), 1},
                     "three lines of three numbers are an edge list or a "
                     "matrix (expected a first line \"ranks N\" of an edge "
                     "list, or commas between the numbers of a matrix)");
    }
    if (ranks_ > 0) return absl::OkStatus();
    return lines_.Error({},
                        "file has no pairs of ranks (expected lines \"FROM TO "
                        "BYTES\", or \"ranks N\")");
  }

  absl::Status ReadEdge(const PatternFields& fields) {
    if (fields.size() != kEdgeFields) {
      return lines_.Error(
          fields.empty() ? lines_.line() : fields.front(),
          fmt::format("line has {} (expected sender, receiver and bytes)",
                      Counted(fields.size(), "field")));
    }
    const auto from = RankIn(fields[0]);
    if (!from.ok()) return from.status();
    const auto to = RankIn(fields[1]);
    if (!to.ok()) return to.status();
    const auto bytes = Bytes(fields[2]);
    if (!bytes.ok()) return bytes.status();
    ranks_ = std::max({ranks_, *from + 1, *to + 1});
    return Add(*from, *to, *bytes, fields[0]);
  }

  absl::Status Add(TaskRank from, TaskRank to, double bytes,
                   std::string_view field) {
    if (bytes == 0 && !has_edges_only_) return absl::OkStatus();
    if (volumes_.size() == CommPattern::kMaxPairs) {
      return lines_.Error(
          field, fmt::format("pattern has more than {} pairs of ranks "
                             "(expected at most {})",
                             CommPattern::kMaxPairs, CommPattern::kMaxPairs));
    }
    volumes_.push_back({from, to, bytes});
    if (has_edges_only_) {
      line_of_.push_back(static_cast<std::uint32_t>(lines_.line_number()));
    }
    return absl::OkStatus();
  }

  // Of an edge list. Reports the first line whose pair an earlier one has.
  absl::Status CheckDistinct() const {
    const auto pair = [this](std::uint32_t i) {
      return std::pair(volumes_[i].from, volumes_[i].to);
    };
    std::vector<std::uint32_t> order(line_of_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto before = [pair](std::uint32_t a, std::uint32_t b) {
      return std::pair(pair(a), a) < std::pair(pair(b), b);
    };
    if (!std::is_sorted(order.begin(), order.end(), before)) {
      std::sort(order.begin(), order.end(), before);
    }
    std::optional<std::size_t> repeated;  // in order
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (pair(order[i]) != pair(order[i - 1])) continue;
      if (!repeated.has_value() || order[i] < order[*repeated]) repeated = i;
    }
    if (!repeated.has_value()) return absl::OkStatus();
    const std::uint32_t later = order[*repeated];
    return ErrorAt(
        path_, {static_cast<int>(line_of_[later]), 1},
        fmt::format("rank {} to rank {}: specified more than once (first in "
                    "line {})",
                    volumes_[later].from, volumes_[later].to,
                    line_of_[order[*repeated - 1]]));
  }

  absl::Status ReadRow(const PatternFields& row, TaskRank from) {
    if (row.size() != ranks_) {
      return lines_.Error(
          row.size() > ranks_ ? row[ranks_] : std::string_view{},
          fmt::format("row {} has {} (expected {}, as in row 1)", from + 1,
                      Counted(row.size(), "number"), ranks_));
    }
    for (TaskRank to = 0; to < ranks_; ++to) {
      const auto bytes = Bytes(row[to]);
      if (!bytes.ok()) return bytes.status();
      absl::Status added = Add(from, to, *bytes, row[to]);
      if (!added.ok()) return added;
    }
    return absl::OkStatus();
  }

  absl::Status ReadRows(const PatternFields& first) {
    has_edges_only_ = false;
    if (first.size() > kMaxDenseRows) {
      return lines_.Error(
          first[kMaxDenseRows],
          fmt::format("matrix has {} columns (expected at most {}, or an edge "
                      "list)",
                      first.size(), kMaxDenseRows));
    }
    ranks_ = static_cast<std::uint32_t>(first.size());
    absl::Status read = ReadRow(first, 0);
    TaskRank rows = 1;
    for (; read.ok(); ++rows) {
      const absl::StatusOr<bool> more = lines_.Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (rows == ranks_) {
        return lines_.Error(
            {}, fmt::format("matrix has more than {} (expected as many rows "
                            "as columns)",
                            Counted(rows, "row")));
      }
      read = ReadRow(Split(lines_.line()), rows);
    }
    if (!read.ok()) return read;
    if (rows == ranks_) return absl::OkStatus();
    return lines_.Error(
        {}, fmt::format("matrix has {}, {} (expected as many rows as columns)",
                        Counted(rows, "row"), Counted(ranks_, "column")));
  }

  const std::string& path_;
  DataLines lines_;
  std::uint32_t ranks_ = 0;
  bool has_rank_count_ = false;
  bool has_edges_only_ = true;
  bool may_be_matrix_ = false;  // an edge list without a header
  std::vector<RankVolume> volumes_;
  std::vector<std::uint32_t> line_of_;  // of an edge list, by volume
};

// lines: at the header line.
absl::StatusOr<Pattern> ReadMatrix(const std::string& path, DataLines lines) {
  NumberWords words = NumberWords::StartingAt(std::move(lines));
  words.set_range(
      {.min = 0, .max = CommPattern::kMaxBytes, .allows_plus = false});
  const auto matrix = ReadMatrixMarket(
      words,
      {.rows = CommPattern::kMaxRanks, .entries = CommPattern::kMaxPairs});
  if (!matrix.ok()) return matrix.status();
  std::vector<RankVolume> volumes;
  volumes.reserve(matrix->entries.size());
  for (const MatrixEntry& entry : matrix->entries) {
    volumes.push_back({entry.row, entry.column, entry.value});
  }
  for (std::size_t i = 0; i < matrix->values.size(); ++i) {
    if (matrix->values[i] == 0) continue;
    volumes.push_back({static_cast<TaskRank>(i / matrix->size),
                       static_cast<TaskRank>(i % matrix->size),
                       matrix->values[i]});
  }
  return CreatePattern(path, matrix->size, std::move(volumes));
}

}  // namespace

absl::StatusOr<Pattern> ReadPatternFile(const std::string& path) {
  auto lines = DataLines::Open(path);
  if (!lines.ok()) return lines.status();
  const absl::StatusOr<bool> any = lines->Next();
  if (!any.ok()) return any.status();
  if (!*any) {
    return lines->Error({},
                        "file has no data (expected a matrix, an edge list or "
                        "MatrixMarket)");
  }
  const std::string_view line = lines->line();
  if (absl::StartsWithIgnoreCase({line.data(), line.size()},
                                 "%%MatrixMarket")) {
    return ReadMatrix(path, *std::move(lines));
  }
  return PatternReader(path, *std::move(lines)).Read();
}

void WritePattern(const CommPattern& pattern, std::string_view comment,
                  std::ostream& out) {
  out << "# " << comment << "\nranks " << pattern.ranks()
      << "\nfrom to bytes\n";
  for (TaskRank from = 0; from < pattern.ranks() && out; ++from) {
    const auto receivers = pattern.ReceiversOf(from);
    const auto bytes = pattern.BytesFrom(from);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      out << fmt::format("{} {} {}\n", from, receivers[i], bytes[i]);
    }
  }
}

}  // namespace coolspan
