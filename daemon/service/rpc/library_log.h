// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_LIBRARY_LOG_H_
#define COOLSPAN_SERVICE_RPC_LIBRARY_LOG_H_

#include <string>
#include <string_view>

#include "service/rpc/access_log.h"

namespace coolspan {

// Why gRPC refused a client's TLS handshake, from its log line; empty: the line
// is about something else.
std::string HandshakeProblem(std::string_view line);

// While it lives, what gRPC and Protocol Buffers would write to standard error
// about clients goes to the log: refused TLS handshakes and invalid messages.
// Both libraries have one log a process, so there must be one object at most;
// further ones do nothing.
class LibraryLog {
 public:
  // log must outlive the object.
  explicit LibraryLog(AccessLog& log);
  ~LibraryLog();
  LibraryLog(const LibraryLog&) = delete;
  LibraryLog& operator=(const LibraryLog&) = delete;

 private:
  bool is_installed_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_LIBRARY_LOG_H_
