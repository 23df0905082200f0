// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_SACCT_READER_H_
#define COOLSPAN_REPLAY_INPUT_SACCT_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/line_reader.h"
#include "replay/input/sacct_fields.h"
#include "replay/input/trace_reader.h"

namespace coolspan {

// Reads the output of sacct --parsable2 or --parsable with a header line, in
// which the columns may have any order; other columns are ignored. Each line
// of a job that has ended is a job: array tasks, components of heterogeneous
// jobs and, with --duplicates, each run of a job that was requeued. Not
// thread-safe.
class SacctReader final : public TraceReader {
 public:
  // The current line of lines is the header. Error: INVALID_ARGUMENT
  // "FILE:LINE: ..." for a missing or repeated column.
  static absl::StatusOr<SacctReader> AfterHeader(LineReader lines);

  // Errors as LineReader's, or INVALID_ARGUMENT "FILE:LINE: ..." for another
  // number of fields than in the header, for a value that is not of its
  // column, and for an end before the start.
  absl::StatusOr<bool> Next() override;

  const TraceJob& job() const override { return job_; }
  std::string At(std::string_view what) const override {
    return lines_.At(what);
  }
  bool counts_nodes() const override { return true; }
  bool has_nodes() const override { return Has(kNodeList); }

 private:
  enum Column {
    kJobId,
    kJobIdRaw,
    kState,
    kSubmit,
    kStart,
    kEnd,
    kElapsed,
    kElapsedRaw,
    kTimelimit,
    kTimelimitRaw,
    kNNodes,
    kAllocNodes,
    kNodeList,
    kUser,
    kUid,
    kGroup,
    kGid,
    kColumns,
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit SacctReader(LineReader lines) : lines_(std::move(lines)) {
    at_.fill(kNone);
  }
  absl::Status ReadHeader();
  absl::Status CheckColumns() const;

  absl::Status Split(std::string_view line);
  bool Has(Column column) const { return at_[column] != kNone; }
  std::string_view Field(Column column) const {
    return Has(column) ? fields_[at_[column]] : std::string_view();
  }

  absl::Status Parse();
  absl::StatusOr<SacctJobId> ReadId() const;
  // Whether the job has run and ended, and once only.
  TraceJob::Use UseOf(const SacctJobId& id) const;
  absl::Status ReadTimes();
  absl::Status ReadRun(std::int64_t start_s);
  absl::Status ReadEstimate();
  absl::Status ReadNodes();
  absl::StatusOr<std::int64_t> Time(Column column) const;
  absl::Status Invalid(Column column, std::string_view expected) const;
  // Numbers stand for the names of users and groups.
  double Numbered(Column id, Column name,
                  absl::flat_hash_map<std::string, int>& names);

  LineReader lines_;
  std::array<std::size_t, kColumns> at_{};  // kNone: the file has it not
  std::size_t columns_ = 0;
  bool has_trailing_bar_ = false;
  // The one column whose values may contain '|'; kNone: none, or several.
  std::size_t free_text_ = kNone;
  std::vector<std::string_view> fields_;
  absl::flat_hash_map<std::string, int> users_;
  absl::flat_hash_map<std::string, int> groups_;
  // Job, member, start and the hash of the line: a job may run twice in one
  // second.
  using RunKey =
      std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::size_t>;
  absl::flat_hash_set<RunKey> runs_;
  TraceJob job_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_SACCT_READER_H_
