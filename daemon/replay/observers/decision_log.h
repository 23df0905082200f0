// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_DECISION_LOG_H_
#define COOLSPAN_REPLAY_OBSERVERS_DECISION_LOG_H_

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/machine.h"
#include "replay/observers/run_observer.h"
#include "replay/run_spec.h"

namespace coolspan {

// A CSV file of all decisions of a replay: run by run, the jobs of a run in the
// order of their starts. The content depends only on the trace, the machine and
// the options. The first line names the columns; times are seconds of the
// trace; a hostlist with commas is quoted.
//
// Thread-safe for different runs, each written by one thread.
class DecisionLog {
 public:
  // Replaces the file. The machine must outlive the log; if it has a room, the
  // columns of the room come last. Error: INVALID_ARGUMENT with the reason of
  // the system.
  static absl::StatusOr<std::unique_ptr<DecisionLog>> Create(
      const std::string& path, std::size_t runs, const Machine& machine);

  // Adds the starts of the run of that index; if runs_change, which is that the
  // run times of started jobs change, once they have ended. The log must
  // outlive the observer.
  std::unique_ptr<RunObserver> Observer(std::size_t index, const RunSpec& run,
                                        bool runs_change = false);
  // Completes the file. No Add may follow.
  absl::Status Finish();

 private:
  class LoggedRun;
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Closer>;

  DecisionLog(std::string path, const Machine& machine)
      : path_(std::move(path)), machine_(machine) {}
  // A line without the time of the end, which comes at end_at.
  struct Line {
    std::string text;
    std::size_t end_at = 0;
  };
  // last_cells: the columns of the run and the end of the line.
  void Format(const std::string& policy, const std::string& last_cells,
              const JobStart& start, Line& line) const;
  absl::Status Write(std::size_t run, Line& line, TimeMs end_ms);
  absl::Status NotWritten() const;
  absl::Status Append(std::FILE* part);

  const std::string path_;
  const Machine& machine_;
  // The first run writes to the file itself, the others to temporary files that
  // Finish appends.
  std::vector<File> parts_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_DECISION_LOG_H_
