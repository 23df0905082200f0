// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_EVENT_LOG_H_
#define COOLSPAN_SERVICE_JOURNAL_EVENT_LOG_H_

#include <spdlog/logger.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/daemon_file.h"

namespace coolspan {

// The daemon's log: one line per event, with named fields, as JSON or
// key=value, or an entry of the systemd journal. Lines below the level warning
// are buffered until Flush. Thread-safe.
class EventLog {
 public:
  using Level = spdlog::level::level_enum;
  using Fields = nlohmann::ordered_json;  // an object

  // Error: UNAVAILABLE, the file cannot be opened.
  static absl::StatusOr<std::unique_ptr<EventLog>> Open(
      const DaemonFile::Log& options);

  void Write(Level level, std::string_view event, const Fields& fields);
  bool Writes(Level level) const { return level >= output()->level; }
  void Flush();

  // Where lines go, and which.
  struct Output {
    DaemonFile::Log options;
    Level level;
    bool is_json;
    std::shared_ptr<spdlog::logger> logger;  // nullptr: the systemd journal
  };
  // Opens the file of other options, for Use. Error: Open's.
  static absl::StatusOr<std::shared_ptr<const Output>> OutputFor(
      const DaemonFile::Log& options);
  // Replaces the output.
  void Use(std::shared_ptr<const Output> output);
  // Opens the file again, after log rotation. Error: Open's; the log goes on as
  // before.
  absl::Status Reopen();

 private:
  explicit EventLog(std::shared_ptr<const Output> output)
      : output_(std::move(output)) {}
  std::shared_ptr<const Output> output() const {
    const std::lock_guard lock(mutex_);
    return output_;
  }

  mutable std::mutex mutex_;  // of output_; a logger itself is thread-safe
  std::shared_ptr<const Output> output_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_EVENT_LOG_H_
