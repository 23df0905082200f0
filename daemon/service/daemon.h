// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_DAEMON_H_
#define COOLSPAN_SERVICE_DAEMON_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// "0.1.0"
const char* Version();

// A running coolspand. Not thread-safe.
class Daemon {
 public:
  // Opens the stores, restores their clusters and serves.
  // Errors: FAILED_PRECONDITION (cannot listen), OpenStateFiles'.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(
      const DaemonSetup& setup);
  virtual ~Daemon() = default;

  // The endpoints, with the actual ports.
  virtual const std::vector<std::string>& endpoints() const = 0;
  // HOST:PORT of the pages for monitoring; empty: none.
  virtual std::string http_address() const = 0;
  // Starts to read the daemon file again and to apply it; opens the log file
  // again. The log has the result.
  virtual void RequestReload() = 0;
  // What was wrong with the state at the start; also in the log and in Status.
  virtual const std::vector<std::string>& warnings() const = 0;
  // Cancels the calls that are not answered after two seconds, writes pending
  // changes and removes the sockets. Error: DEADLINE_EXCEEDED, with what takes
  // longer than the limit; it goes on, and destroying the object waits for it.
  virtual absl::Status Stop(std::chrono::milliseconds limit) = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_DAEMON_H_
