// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_LISTENING_SOCKET_H_
#define COOLSPAN_SERVICE_RPC_LISTENING_SOCKET_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "service/owned_descriptor.h"

namespace coolspan {

// A socket that listens on an endpoint of the daemon file. The file of a Unix
// socket is removed with the object. Movable.
class ListeningSocket {
 public:
  // Replaces the file of a Unix socket that nobody listens on; the new one has
  // permissions 0660 and the group, if any. Errors: FAILED_PRECONDITION
  // "listen: ..." (another daemon listens there, the path is not a socket, the
  // address is not one of this host, the group cannot be set).
  static absl::StatusOr<ListeningSocket> Open(const std::string& endpoint,
                                              std::optional<gid_t> group);
  ListeningSocket(ListeningSocket&&) = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  int descriptor() const { return descriptor_.get(); }
  bool is_unix() const { return !path_.empty(); }
  // As specified, with port 0 replaced by the actual port.
  const std::string& endpoint() const { return endpoint_; }

 private:
  ListeningSocket(OwnedDescriptor descriptor, std::string path,
                  std::string endpoint)
      : descriptor_(std::move(descriptor)),
        path_(std::move(path)),
        endpoint_(std::move(endpoint)) {}
  static absl::StatusOr<ListeningSocket> OpenUnix(const std::string& endpoint,
                                                  std::optional<gid_t> group);
  static absl::StatusOr<ListeningSocket> OpenTcp(const std::string& endpoint);

  OwnedDescriptor descriptor_;
  std::string path_;              // of a Unix socket
  std::pair<dev_t, ino_t> file_;  // the socket's own
  std::string endpoint_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_LISTENING_SOCKET_H_
