// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_HTTP_LISTENING_PORT_H_
#define COOLSPAN_SERVICE_HTTP_LISTENING_PORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "service/owned_descriptor.h"

namespace coolspan {

// error: of errno. FAILED_PRECONDITION.
absl::Status ListenError(const std::string& host, int port, int error);

// A TCP socket that listens. host: a numeric address. port 0: any free one.
// Error: ListenError.
absl::StatusOr<OwnedDescriptor> ListenOnPort(const std::string& host, int port);

// HOST:PORT with the actual port.
std::string AddressOf(const std::string& host, int listener);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_HTTP_LISTENING_PORT_H_
