// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_POWER_REPORTS_H_
#define COOLSPAN_CLIENT_POWER_REPORTS_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>

#include "absl/status/status.h"
#include "client/channels.h"
#include "client/client.h"

namespace coolspan {

// Sends the power of nodes to the daemon (telemetry.proto), in a thread of its
// own, so that no event or decision waits for it. The latest value of each node
// is kept until it is sent once. It is dropped if the daemon does not accept
// it, since newer values follow. Thread-safe.
class PowerReports {
 public:
  using Log = std::function<void(ClientOptions::Severity, const std::string&)>;

  // channels: must outlive this object. The thread starts with the first
  // Report.
  PowerReports(Channels& channels, Log log);
  // Does not wait for the daemon.
  ~PowerReports();
  PowerReports(const PowerReports&) = delete;
  PowerReports& operator=(const PowerReports&) = delete;

  // Returns immediately.
  void Report(std::span<const NodePower> powers);

 private:
  using Powers = std::unordered_map<std::string, double>;  // watts by name

  void Run();
  absl::Status Send(grpc::ClientContext& context, const Powers& powers);
  // Logs a change of the outcome.
  void NoteOutcome(const absl::Status& status, std::size_t nodes);

  Channels& channels_;
  const Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  Powers waiting_;
  grpc::ClientContext* current_call_ = nullptr;
  std::thread thread_;  // started by the first Report
  // Used by the thread only; nullopt: nothing sent yet.
  std::optional<absl::StatusCode> last_code_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_POWER_REPORTS_H_
