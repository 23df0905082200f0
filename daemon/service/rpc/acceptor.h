// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_ACCEPTOR_H_
#define COOLSPAN_SERVICE_RPC_ACCEPTOR_H_

#include <grpcpp/server_builder.h>

#include <memory>
#include <thread>
#include <vector>

#include "service/rpc/access_log.h"
#include "service/rpc/connection_table.h"
#include "service/rpc/frame_relay.h"
#include "service/rpc/listening_socket.h"
#include "service/rpc/user_slots.h"

namespace coolspan {

// Accepts connections and hands them to gRPC, which cannot look at the user of
// a Unix socket, does not limit connections, and never accepts again once
// descriptors ran out.
class Acceptor {
 public:
  using GrpcAcceptor = grpc::experimental::ExternalConnectionAcceptor;

  struct Parts {
    std::vector<ListeningSocket> sockets;
    std::unique_ptr<UserSlots> users;  // for Unix sockets
    std::unique_ptr<GrpcAcceptor> tcp;
    ConnectionTable::Limits limits;
    // Of users that are not resource managers. Both must outlive the acceptor.
    FrameRelay& relay;
    AccessLog& log;
  };
  // Starts accepting. FAILED_PRECONDITION: no descriptors.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Start(Parts parts);
  // Stops accepting and removes the Unix sockets; connections stay open.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  Acceptor(Parts parts, OwnedDescriptor wake, OwnedDescriptor spare);
  void Run();
  // Accepts all that wait on a socket. False: not at present.
  bool AcceptAll(const ListeningSocket& socket);
  void TakeUnix(OwnedDescriptor connection);
  void TakeTcp(OwnedDescriptor connection);
  // Whether the limits allow the connection; logs if not.
  bool MayStay(const OwnedDescriptor& connection, ConnectionTable::Owner owner,
               bool is_limited, const std::string& client);
  // Without descriptors, connections that wait would stay readable for ever:
  // frees one to accept and close them.
  void CloseWaiting(const ListeningSocket& socket);

  Parts parts_;
  ConnectionTable connections_;
  const OwnedDescriptor wake_;
  OwnedDescriptor spare_;
  std::jthread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_ACCEPTOR_H_
