// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_SWF_READER_H_
#define COOLSPAN_REPLAY_INPUT_SWF_READER_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/line_reader.h"
#include "replay/input/trace_reader.h"

namespace coolspan {

// One job of a log in the Standard Workload Format (Parallel Workloads
// Archive): 18 numbers, times in seconds, -1 where unknown.
struct SwfRecord {
  static constexpr std::size_t kFields = 18;

  std::array<double, kFields> fields;
  std::size_t extra_fields;  // beyond the 18

  double job_number() const { return fields[0]; }
  double submit_s() const { return fields[1]; }
  // From the submit to the start; negative: unknown.
  double wait_s() const { return fields[2]; }
  double run_s() const { return fields[3]; }
  // Field 8, requested processors, if positive; else field 5, allocated ones.
  double processors() const { return fields[7] > 0 ? fields[7] : fields[4]; }
  // Field 9, the user's estimate, if positive; else the run time.
  bool has_estimate() const { return fields[8] > 0; }
  double estimate_s() const { return has_estimate() ? fields[8] : run_s(); }
  double user() const { return fields[11]; }
  double group() const { return fields[12]; }
  double partition() const { return fields[15]; }
};

// Reads a log, plain or gzip, in constant memory. Blank lines and lines that
// start with ';' are skipped; fields are separated by any white space. Not
// thread-safe.
class SwfReader final : public TraceReader {
 public:
  static absl::StatusOr<SwfReader> Open(const std::string& path);
  // has_line: the current line of lines is the first one to read.
  SwfReader(LineReader lines, bool has_line)
      : lines_(std::move(lines)), has_line_(has_line) {}

  // Reads the next job into record(); false after the last one. Errors, all
  // with "file:line: ": INVALID_ARGUMENT for fewer than 18 fields and for a
  // field that is not a number; those of LineReader.
  absl::StatusOr<bool> Next() override;

  const SwfRecord& record() const { return record_; }
  const TraceJob& job() const override { return job_; }
  std::string At(std::string_view what) const override {
    return lines_.At(what);
  }
  bool counts_nodes() const override { return false; }
  bool has_nodes() const override { return false; }

 private:
  absl::Status Parse(std::string_view line);
  void TakeJob();

  LineReader lines_;
  bool has_line_;
  SwfRecord record_{};
  TraceJob job_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_SWF_READER_H_
