// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_SERVICE_MANAGER_H_
#define COOLSPAN_SERVICE_MONITOR_SERVICE_MANAGER_H_

#include <chrono>
#include <optional>
#include <string>

namespace coolspan {

// What the daemon tells systemd, by the protocol of sd_notify(3); nothing
// without NOTIFY_SOCKET in the environment. Does not wait. Thread-safe.
namespace service_manager {

// text: one line, shown by systemctl status.
void NotifyReady(const std::string& text);
// NotifyReady ends it.
void NotifyReloading();
void NotifyStopping();
void NotifyAlive();

// NotifyAlive is expected within each such time; nullopt: never.
std::optional<std::chrono::microseconds> WatchdogTime();

}  // namespace service_manager
}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_SERVICE_MANAGER_H_
