// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_STANDARD_ERROR_SINK_H_
#define COOLSPAN_SERVICE_JOURNAL_STANDARD_ERROR_SINK_H_

#include <spdlog/sinks/base_sink.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "service/owned_descriptor.h"

namespace coolspan {

// Writes lines to the standard error. If that is a pipe that nobody reads,
// lines are dropped: calls must not wait for its reader.
class StandardErrorSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // dropped_text: the text of a line about so many that were dropped.
  explicit StandardErrorSink(
      std::function<std::string(std::uint64_t)> dropped_text);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  // Whether nothing is left to be written.
  bool WriteRest();

  const std::function<std::string(std::uint64_t)> dropped_text_;
  // Of its own for a pipe: others that have the same one may rely on waiting.
  const OwnedDescriptor own_;
  const int descriptor_;
  std::string rest_;  // of a line that was begun
  std::uint64_t dropped_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_STANDARD_ERROR_SINK_H_
