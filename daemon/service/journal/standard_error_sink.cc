// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/standard_error_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace coolspan {
namespace {

OwnedDescriptor OpenPipeAnew() {
  struct stat status = {};
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) {
    return OwnedDescriptor(-1);
  }
  return OwnedDescriptor(
      open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

StandardErrorSink::StandardErrorSink(
    std::function<std::string(std::uint64_t)> dropped_text)
    : dropped_text_(std::move(dropped_text)),
      own_(OpenPipeAnew()),
      descriptor_(own_.get() >= 0 ? own_.get() : STDERR_FILENO) {}

bool StandardErrorSink::WriteRest() {
  while (!rest_.empty()) {
    const ssize_t size = write(descriptor_, rest_.data(), rest_.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return false;
    // Other errors are not worth another attempt.
    rest_.erase(0,
                size < 0 ? std::string::npos : static_cast<std::size_t>(size));
  }
  return true;
}

void StandardErrorSink::sink_it_(const spdlog::details::log_msg& message) {
  if (!WriteRest()) {
    ++dropped_;
    return;
  }
  spdlog::memory_buf_t line;
  if (dropped_ > 0) {
    const std::string text = dropped_text_(std::exchange(dropped_, 0));
    formatter_->format(spdlog::details::log_msg(message.logger_name,
                                                spdlog::level::warn, text),
                       line);
  }
  formatter_->format(message, line);
  rest_.assign(line.data(), line.size());
  WriteRest();
}

}  // namespace coolspan
