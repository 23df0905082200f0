// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_EVENT_LOG_H_
#define COOLSPAN_SERVICE_JOURNAL_EVENT_LOG_H_

#include <spdlog/logger.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/daemon_file.h"

namespace coolspan {

// The daemon's log: one line per event, with named fields, as JSON or
// key=value. Lines below the level warning are buffered until Flush.
// Thread-safe.
class EventLog {
 public:
  using Level = spdlog::level::level_enum;
  using Fields = nlohmann::ordered_json;  // an object

  // Error: UNAVAILABLE, the file cannot be opened.
  static absl::StatusOr<std::unique_ptr<EventLog>> Open(
      const DaemonFile::Log& options);

  void Write(Level level, std::string_view event, const Fields& fields);
  bool Writes(Level level) const { return level >= level_; }
  void Flush();
  // Reopens the file, after log rotation.
  absl::Status Reopen();

 private:
  explicit EventLog(DaemonFile::Log options);
  std::shared_ptr<spdlog::logger> logger() const;

  const DaemonFile::Log options_;
  const Level level_;
  mutable std::mutex mutex_;  // of logger_; a logger itself is thread-safe
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_EVENT_LOG_H_
