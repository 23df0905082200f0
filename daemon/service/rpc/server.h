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

namespace coolspan {

// A gRPC server on the endpoints of a daemon file. Thread-safe.
class Server {
 public:
  // Takes the place of a dead daemon's Unix socket; sockets get the
  // permissions 0660. REQUIRES that no other thread makes files meanwhile (the
  // permissions go through umask), and the services to outlive the server.
  // Errors: FAILED_PRECONDITION naming the endpoint: a daemon that lives
  // answers there, or it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      std::span<const std::string> endpoints,
      std::span<grpc::Service* const> services);
  ~Server();

  // As given, port 0 replaced with the one found.
  const std::vector<std::string>& endpoints() const { return endpoints_; }
  // Takes no more calls, waits for those under way up to grace, then cancels
  // them, and removes the Unix sockets.
  void Stop(std::chrono::milliseconds grace);

 private:
  Server() = default;

  std::vector<std::string> endpoints_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_SERVER_H_
