// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/access_log.h"

namespace coolspan {

std::uint64_t AccessLog::Count(const std::string& client,
                               const std::string& why, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto known = kinds_.find({client, why});
  if (known != kinds_.end()) {
    if (now - known->second.written < kPeriod) {
      ++known->second.unwritten;
      return 0;
    }
    const std::uint64_t times = 1 + known->second.unwritten;
    known->second = {now, 0};
    return times;
  }
  if (kinds_.size() >= kMaxKinds) {
    std::erase_if(kinds_, [now](const auto& kind) {
      return now - kind.second.written >= kPeriod;
    });
  }
  if (kinds_.size() >= kMaxKinds) return 0;
  kinds_[{client, why}] = {now, 0};
  return 1;
}

void AccessLog::Refused(const std::string& client, const std::string& why,
                        Clock::time_point now) {
  const std::uint64_t times = Count(client, why, now);
  if (times == 0) return;
  log_.Write(spdlog::level::warn, "refused",
             {{"client", client}, {"why", why}, {"times", times}});
  log_.Flush();
}

void AccessLog::HandshakeFailed(const std::string& peer, const std::string& why,
                                Clock::time_point now) {
  const std::uint64_t times = Count(peer, why, now);
  if (times == 0) return;
  log_.Write(
      spdlog::level::warn, "tls",
      {{"result", "failed"}, {"peer", peer}, {"why", why}, {"times", times}});
  log_.Flush();
}

void AccessLog::Called(const std::string& client, std::string_view method) {
  log_.Write(spdlog::level::info, "call",
             {{"client", client}, {"method", method}});
}

}  // namespace coolspan
