// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_DAEMON_H_
#define COOLSPAN_SERVICE_DAEMON_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// "0.1.0"
const char* Version();

// A running coolspand. Thread-safe.
class Daemon {
 public:
  // Opens the store, takes up what it has, and serves.
  // Errors: FAILED_PRECONDITION (cannot listen), the store's.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(
      const DaemonSetup& setup);
  virtual ~Daemon() = default;

  // Where it listens, with the ports it found.
  virtual const std::vector<std::string>& endpoints() const = 0;
  virtual void ReopenLog() = 0;
  // Ends the calls under way within two seconds, writes what is to be kept,
  // and removes its sockets.
  virtual void Stop() = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_DAEMON_H_
