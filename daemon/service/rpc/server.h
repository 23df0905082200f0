// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_SERVER_H_
#define COOLSPAN_SERVICE_RPC_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/server.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/daemon_file.h"
#include "service/rpc/acceptor.h"
#include "service/rpc/access_log.h"
#include "service/rpc/call_counts.h"
#include "service/rpc/frame_relay.h"
#include "service/rpc/library_log.h"
#include "setup/access_rules.h"

namespace coolspan {

// Serves gRPC on the endpoints of a daemon file: one server for resource
// managers and TCP, another for all others, with threads, memory and message
// sizes of its own. Not thread-safe.
class Server {
 public:
  // Replaces stale Unix sockets; new sockets have permissions 0660. REQUIRES
  // that services, log and counts outlive the server. Error:
  // FAILED_PRECONDITION with the endpoint (another daemon listens there, or
  // listening fails).
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const DaemonFile& file, const AccessRules& rules,
      std::span<grpc::Service* const> services, EventLog& log,
      CallCounts& counts);
  ~Server();

  // A connection without a socket or a role, to the server for resource
  // managers.
  std::shared_ptr<grpc::Channel> Connect() {
    return managers_->InProcessChannel({});
  }
  // As specified, with port 0 replaced by the actual port.
  const std::vector<std::string>& endpoints() const { return endpoints_; }
  // Rejects new calls, waits up to grace for calls in progress, cancels the
  // rest, waits for their handlers (those that search or write look at the
  // cancellation late) and removes the Unix sockets.
  void Stop(std::chrono::milliseconds grace);

 private:
  Server(EventLog& log, TlsPeers peers, const CallCounts& counts)
      : access_log_(log), library_log_(access_log_, peers), counts_(counts) {}

  std::vector<std::string> endpoints_;
  AccessLog access_log_;
  LibraryLog library_log_;
  const CallCounts& counts_;
  std::unique_ptr<grpc::Server> managers_;
  std::unique_ptr<grpc::Server> others_;
  // After the servers: it carries their last answers.
  std::unique_ptr<FrameRelay> relay_;
  // Before the servers: gRPC closes connections that come after.
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_SERVER_H_
