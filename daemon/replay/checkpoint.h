// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_CHECKPOINT_H_
#define COOLSPAN_REPLAY_CHECKPOINT_H_

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/run_report.h"

namespace coolspan {

// The reports of finished runs in a file, so that a replay that was ended can
// be resumed: JSON lines, a header and one line for each run. Thread-safe.
class Checkpoint {
 public:
  // Reads an existing file, or makes one. identity: everything besides the
  // RunSpec that the results depend on. A last line that was cut off is
  // dropped.
  // Errors: INVALID_ARGUMENT for a file that cannot be read or written, that is
  // not a checkpoint, that has another identity, or that another process has
  // open.
  static absl::StatusOr<std::unique_ptr<Checkpoint>> Open(
      const std::string& path, std::string_view identity);

  // The report of a run with that spec, if the file has one.
  std::optional<RunReport> Find(const RunSpec& run) const;
  // Error: INVALID_ARGUMENT if the file cannot be written.
  absl::Status Add(const RunReport& report);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  explicit Checkpoint(std::string path) : path_(std::move(path)) {}
  absl::Status Read(std::string_view identity);
  absl::Status NotWritten() const;
  absl::Status Write(const std::string& line);

  const std::string path_;
  mutable std::mutex mutex_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::map<std::string, RunReport> reports_;  // without RunReport::run
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_CHECKPOINT_H_
