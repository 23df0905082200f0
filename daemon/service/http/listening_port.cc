// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/http/listening_port.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace coolspan {
namespace {

constexpr int kBacklog = 128;

int PortOf(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  // NOLINTNEXTLINE: the sockets interface requires this cast.
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (getsockname(listener, generic, &size) != 0) return 0;
  char port[NI_MAXSERV] = "";
  getnameinfo(generic, size, nullptr, 0, port, sizeof(port), NI_NUMERICSERV);
  return std::atoi(port);  // NOLINT(cert-err34-c): a number by construction
}

}  // namespace

absl::Status ListenError(const std::string& host, int port, int error) {
  return absl::FailedPreconditionError(fmt::format(
      "http.listen: cannot listen on {}:{}: {} (expected an unused address of "
      "this host)",
      host, port, std::generic_category().message(error)));
}

absl::StatusOr<OwnedDescriptor> ListenOnPort(const std::string& host,
                                             int port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) !=
      0) {
    return ListenError(host, port, EINVAL);
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(
      found, &freeaddrinfo);
  OwnedDescriptor listener(socket(
      address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!listener.is_open() ||
      setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) !=
          0 ||
      bind(listener.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      listen(listener.get(), kBacklog) != 0) {
    return ListenError(host, port, errno);
  }
  return listener;
}

std::string AddressOf(const std::string& host, int listener) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, PortOf(listener))
                 : fmt::format("{}:{}", host, PortOf(listener));
}

}  // namespace coolspan
