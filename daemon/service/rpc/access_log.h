// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_ACCESS_LOG_H_
#define COOLSPAN_SERVICE_RPC_ACCESS_LOG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "service/journal/event_log.h"

namespace coolspan {

// Log lines about clients. Of refused ones and failed handshakes: one a minute
// for each reason and client, with the number of times, and at most kMaxKinds
// kinds a minute. Thread-safe.
class AccessLog {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::minutes kPeriod{1};
  static constexpr std::size_t kMaxKinds = 100;

  explicit AccessLog(EventLog& log) : log_(log) {}

  // client: "user alice"; why: without variable parts.
  void Refused(const std::string& client, const std::string& why,
               Clock::time_point now = Clock::now());
  // A TLS connection that the daemon itself may have begun. peer: "etcd".
  void HandshakeFailed(const std::string& peer, const std::string& why,
                       Clock::time_point now = Clock::now());
  // An accepted call that changes how the daemon works.
  void Called(const std::string& client, std::string_view method);

 private:
  // The times since the last line about it, if one is due now, else 0.
  std::uint64_t Count(const std::string& client, const std::string& why,
                      Clock::time_point now);

  struct Kind {
    Clock::time_point written;
    std::uint64_t unwritten = 0;  // times since then
  };

  EventLog& log_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Kind> kinds_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_ACCESS_LOG_H_
