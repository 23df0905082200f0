// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_FRAME_RELAY_H_
#define COOLSPAN_SERVICE_RPC_FRAME_RELAY_H_

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "service/owned_descriptor.h"
#include "service/rpc/access_log.h"
#include "service/rpc/peer.h"

namespace coolspan {

// Hands connections of users to gRPC by way of a thread that reads from each
// user no faster than its rate of HTTP/2 frames. The threads of gRPC read from
// all sockets, so a flood of frames from anybody would delay the answers that
// Slurm waits for; and a guard of calls sees those only that are well-formed,
// after most of their work is done. Thread-safe.
class FrameRelay {
 public:
  // log: of users that are slowed down; must outlive the relay.
  // FAILED_PRECONDITION: no descriptors.
  static absl::StatusOr<std::unique_ptr<FrameRelay>> Start(AccessLog& log);
  // Closes all connections.
  ~FrameRelay();
  FrameRelay(const FrameRelay&) = delete;
  FrameRelay& operator=(const FrameRelay&) = delete;

  // Takes a connection that does not block. Returns the descriptor of a socket
  // on which its bytes come and go; closed: there are no descriptors. The
  // connection is closed after the other end of that socket is, and not before.
  OwnedDescriptor Add(OwnedDescriptor connection, std::shared_ptr<Peer> peer);

 private:
  class Flow;
  class Connection;

  FrameRelay(AccessLog& log, OwnedDescriptor epoll, OwnedDescriptor wake);
  void Run();
  // False: the relay ends.
  bool TakeNew();
  // How long to wait for events: until a connection that is slowed down may be
  // read again. -1: there is none.
  int WaitMs() const;

  AccessLog& log_;
  const OwnedDescriptor epoll_;
  const OwnedDescriptor wake_;
  std::mutex mutex_;
  bool is_stopping_ = false;
  std::vector<std::unique_ptr<Connection>> new_;
  // Used by the thread only.
  absl::flat_hash_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> slow_;
  std::jthread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_FRAME_RELAY_H_
