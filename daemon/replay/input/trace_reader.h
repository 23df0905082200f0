// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_TRACE_READER_H_
#define COOLSPAN_REPLAY_INPUT_TRACE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace coolspan {

// One data line of a trace: a job, or why it is none. Times in seconds on the
// clock of the trace.
struct TraceJob {
  enum class Use {
    kJob,
    kStep,        // a part of a job that has a line of its own
    kNotStarted,  // never had nodes
    kUnfinished,  // its end is unknown: it still runs, or was lost
    kRepeated,    // the same as a line before
  };
  Use use = Use::kJob;
  double number = 0;
  double submit_s = 0;
  std::optional<double> start_s = std::nullopt;  // as it happened
  double run_s = 0;                              // negative: unknown
  double estimate_s = 0;
  bool has_estimate = false;  // else estimate_s is the run time
  double size = 0;  // nodes or processors, see TraceReader::counts_nodes
  double user = -1;
  double group = -1;
  double partition = -1;  // a number; -1: unknown
  // Empty: the number. Valid until the next line, as nodes.
  std::string_view id = {};
  std::string_view nodes = {};   // hostlist; empty: not known
  std::size_t extra_fields = 0;  // beyond those of the format
};

// Reads the jobs of a trace in constant memory, or for formats that may repeat
// a job in memory proportional to the jobs. Not thread-safe.
class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Reads the next data line into job(); false after the last one. Errors:
  // INVALID_ARGUMENT with "file:line: "; those of LineReader.
  virtual absl::StatusOr<bool> Next() = 0;
  virtual const TraceJob& job() const = 0;
  // "file:line: what" for the line of job().
  virtual std::string At(std::string_view what) const = 0;

  // Whether the size of a job is its nodes; false: its processors.
  virtual bool counts_nodes() const = 0;
  // Whether the format, or the columns of this file, name the nodes of jobs.
  virtual bool has_nodes() const = 0;
};

// Opens a trace, plain or gzip: output of sacct if its first line that is not
// empty or a comment of SWF is a list of columns with '|' between them, else a
// log in the Standard Workload Format. Errors: those of the readers.
absl::StatusOr<std::unique_ptr<TraceReader>> OpenTrace(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_TRACE_READER_H_
