// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_LIBRARY_LOG_H_
#define COOLSPAN_SERVICE_RPC_LIBRARY_LOG_H_

#include <optional>
#include <string>
#include <string_view>

#include "service/rpc/access_log.h"

namespace coolspan {

// With whom the daemon uses TLS.
struct TlsPeers {
  bool clients = false;
  bool etcd = false;
};

struct HandshakeFailure {
  std::string peer;  // "on TCP" (a client), "etcd", "a client or etcd"
  std::string why;
};
// From a log line of gRPC, which says neither which side the daemon was nor who
// the other was; nullopt: the line is about something else.
std::optional<HandshakeFailure> FailedHandshake(std::string_view line,
                                                TlsPeers peers);

// While it lives, what gRPC and Protocol Buffers would write to standard error
// goes to the log: failed TLS handshakes and invalid messages.
// Both libraries have one log a process, so there must be one object at most;
// further ones do nothing.
class LibraryLog {
 public:
  // log must outlive the object.
  LibraryLog(AccessLog& log, TlsPeers peers);
  ~LibraryLog();
  LibraryLog(const LibraryLog&) = delete;
  LibraryLog& operator=(const LibraryLog&) = delete;

 private:
  bool is_installed_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_LIBRARY_LOG_H_
