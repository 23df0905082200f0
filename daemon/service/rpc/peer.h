// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_PEER_H_
#define COOLSPAN_SERVICE_RPC_PEER_H_

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "config/role.h"

namespace coolspan {

// A token bucket: at most `rate` calls a second, and `burst` at a time.
// Thread-safe.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimit(double rate) : RateLimit(rate, 2 * rate) {}
  RateLimit(double rate, double burst)
      : rate_(rate), burst_(burst), tokens_(burst) {}

  // False: above the rate.
  bool Take(Clock::time_point now = Clock::now()) {
    const std::lock_guard lock(mutex_);
    Fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  // For a caller that waits: how long it must wait now, for `calls` calls.
  Clock::duration Reserve(double calls = 1,
                          Clock::time_point now = Clock::now()) {
    const std::lock_guard lock(mutex_);
    Fill(now);
    tokens_ -= calls;
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::max(0.0, -tokens_ / rate_)));
  }
  double rate() const { return rate_; }

 private:
  // REQUIRES mutex_.
  void Fill(Clock::time_point now) {
    const double elapsed_s =
        std::chrono::duration<double>(now - filled_).count();
    tokens_ = std::min(burst_, tokens_ + std::max(0.0, elapsed_s) * rate_);
    filled_ = now;
  }

  const double rate_;
  const double burst_;
  std::mutex mutex_;
  double tokens_;
  Clock::time_point filled_ = Clock::now();
};

// A client: a user on a Unix socket, the owner of a certificate on TCP.
struct Peer {
  Peer(std::string its_name, RoleSet its_roles, double calls_per_s)
      : name(std::move(its_name)),
        roles(its_roles),
        rate(calls_per_s),
        frames(kFramesPerCall * calls_per_s, kFramesPerCall * calls_per_s) {}

  const std::string name;  // "user alice", "certificate ctl.example.org"
  const RoleSet roles;
  RateLimit rate;  // of all calls but a resource manager's
  // What its HTTP/2 frames cost (FrameCount), with those of other kinds than
  // calls: settings, pings and cancellations.
  static constexpr double kFramesPerCall = 2;
  RateLimit frames;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_PEER_H_
