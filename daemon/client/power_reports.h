// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_POWER_REPORTS_H_
#define COOLSPAN_CLIENT_POWER_REPORTS_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "absl/status/status.h"
#include "client/channels.h"
#include "client/client.h"

namespace coolspan {

// Tells the daemon's room what nodes draw (telemetry.proto), from a thread of
// its own, so that no event or decision waits for it. Of each node the newest
// power is kept until it is sent, and is not sent again: where no daemon takes
// it, it is dropped, since a later one says more. Thread-safe.
class PowerReports {
 public:
  using Log = std::function<void(ClientOptions::Severity, const std::string&)>;

  // channels: outlives it. Costs nothing until something is told.
  PowerReports(Channels& channels, Log log);
  // Does not wait for the daemon.
  ~PowerReports();
  PowerReports(const PowerReports&) = delete;
  PowerReports& operator=(const PowerReports&) = delete;

  // Returns at once.
  void Tell(std::span<const NodePower> powers);

 private:
  using Powers = std::unordered_map<std::string, double>;  // watts by name

  void Run();
  absl::Status Send(grpc::ClientContext& context, const Powers& powers);
  // A line for an operator where it goes otherwise than before.
  void NoteOutcome(const absl::Status& status, std::size_t nodes);

  Channels& channels_;
  const Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  Powers waiting_;
  grpc::ClientContext* under_way_ = nullptr;
  std::thread thread_;  // since the first Tell
  // The thread's own; nullopt: nothing was sent yet.
  std::optional<absl::StatusCode> last_code_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_POWER_REPORTS_H_
