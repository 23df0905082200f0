// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/service_manager.h"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <cstdint>

namespace coolspan::service_manager {
namespace {

// A message that is lost has no effect that the daemon could mend.
void Send(const std::string& message) {
  static_cast<void>(sd_notify(/*unset_environment=*/0, message.c_str()));
}

}  // namespace

void NotifyReady(const std::string& text) {
  Send(fmt::format("READY=1\nSTATUS={}", text));
}

// systemd takes a READY=1 sent before this time as that of an earlier reload.
void NotifyReloading() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  Send(fmt::format(
      "RELOADING=1\nMONOTONIC_USEC={}\nSTATUS=reloading",
      std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void NotifyStopping() { Send("STOPPING=1\nSTATUS=stopping"); }

void NotifyAlive() { Send("WATCHDOG=1"); }

std::optional<std::chrono::microseconds> WatchdogTime() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(/*unset_environment=*/0, &microseconds) <= 0) {
    return std::nullopt;
  }
  return std::chrono::microseconds(microseconds);
}

}  // namespace coolspan::service_manager
