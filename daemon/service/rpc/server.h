// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_SERVER_H_
#define COOLSPAN_SERVICE_RPC_SERVER_H_

#include <grpcpp/server.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "service/rpc/call_counts.h"

namespace coolspan {

// A gRPC server on the endpoints of a daemon file. Not thread-safe.
class Server {
 public:
  // Replaces stale Unix sockets; new sockets have permissions 0660. REQUIRES
  // that no other thread creates files meanwhile (permissions are set by
  // umask), and that services and counts outlive the server. Error:
  // FAILED_PRECONDITION with the endpoint (another daemon listens there, or
  // listening fails).
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      std::span<const std::string> endpoints,
      std::span<grpc::Service* const> services, CallCounts& counts);
  ~Server();

  // As specified, with port 0 replaced by the actual port.
  const std::vector<std::string>& endpoints() const { return endpoints_; }
  // Rejects new calls, waits up to grace for calls in progress, cancels the
  // rest, waits for their handlers (those that search or write look at the
  // cancellation late) and removes the Unix sockets.
  void Stop(std::chrono::milliseconds grace);

 private:
  Server() = default;

  std::vector<std::string> endpoints_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_SERVER_H_
