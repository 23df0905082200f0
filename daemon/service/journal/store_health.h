// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_STORE_HEALTH_H_
#define COOLSPAN_SERVICE_JOURNAL_STORE_HEALTH_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "service/journal/event_log.h"

namespace coolspan {

// Logs when a store can no longer be written, and when it can again. Not
// thread-safe.
class StoreHealth {
 public:
  // log: must outlive the object.
  StoreHealth(std::string store, EventLog& log)
      : store_(std::move(store)), log_(log) {}

  // status: of an attempt to write.
  void Note(const absl::Status& status) {
    const bool is_changed = status.ok() != is_written_;
    is_written_ = status.ok();
    if (!is_changed) return;
    if (status.ok()) {
      log_.Write(spdlog::level::warn, "store",
                 {{"store", store_}, {"state", "written again"}});
    } else {
      log_.Write(spdlog::level::err, "store",
                 {{"store", store_},
                  {"state", "cannot be written"},
                  {"why", std::string(status.message())}});
    }
  }

 private:
  const std::string store_;
  EventLog& log_;
  bool is_written_ = true;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_STORE_HEALTH_H_
