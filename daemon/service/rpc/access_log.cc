// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/access_log.h"

namespace coolspan {

void AccessLog::Refused(const std::string& client, const std::string& why,
                        Clock::time_point now) {
  std::uint64_t times = 1;
  {
    const std::lock_guard lock(mutex_);
    const auto known = kinds_.find({client, why});
    if (known != kinds_.end() && now - known->second.written < kPeriod) {
      ++known->second.unwritten;
      return;
    }
    if (known != kinds_.end()) {
      times += known->second.unwritten;
      known->second = {now, 0};
    } else {
      if (kinds_.size() >= kMaxKinds) {
        std::erase_if(kinds_, [now](const auto& kind) {
          return now - kind.second.written >= kPeriod;
        });
      }
      if (kinds_.size() >= kMaxKinds) return;
      kinds_[{client, why}] = {now, 0};
    }
  }
  log_.Write(spdlog::level::warn, "refused",
             {{"client", client}, {"why", why}, {"times", times}});
  log_.Flush();
}

void AccessLog::Called(const std::string& client, std::string_view method) {
  log_.Write(spdlog::level::info, "call",
             {{"client", client}, {"method", method}});
}

}  // namespace coolspan
