// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/listening_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "config/daemon_access.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnixScheme = "unix://";
constexpr std::string_view kTcpScheme = "ipv4:";
constexpr mode_t kOwnerAndGroup = 0660;
constexpr mode_t kOwnerOnly = 0600;

std::string ErrorText(int error) {
  return std::generic_category().message(error);
}

absl::Status CannotListen(const std::string& what) {
  return absl::FailedPreconditionError(fmt::format("listen: {}", what));
}

// The system's functions take any family's address by this type.
template <typename Address>
const sockaddr* Generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // NOLINT
}

sockaddr_un UnixAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

// errno of connecting to a Unix socket; 0: a process listens.
int ConnectError(const std::string& path) {
  const OwnedDescriptor descriptor(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor.is_open()) return errno;
  const sockaddr_un address = UnixAddress(path);
  if (connect(descriptor.get(), Generic(address), sizeof(address)) == 0)
    return 0;
  // Somebody listens whose queue of connections is full.
  return errno == EAGAIN ? 0 : errno;
}

// Only a stale socket is removed.
absl::Status RemoveStaleSocket(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  const fs::path directory = fs::path(path).parent_path();
  if (!fs::is_directory(directory, error)) {
    return CannotListen(
        fmt::format("directory {} does not exist", directory.string()));
  }
  if (!fs::exists(status)) return absl::OkStatus();
  if (!fs::is_socket(status)) {
    return CannotListen(fmt::format("{} exists and is not a socket", path));
  }
  const int connect_error = ConnectError(path);
  if (connect_error == 0) {
    return CannotListen(fmt::format("another daemon listens on {}", path));
  }
  if (connect_error != ECONNREFUSED) {
    return CannotListen(
        fmt::format("cannot connect to the existing socket {}: {}", path,
                    ErrorText(connect_error)));
  }
  if (!fs::remove(path, error)) {
    return CannotListen(fmt::format("cannot remove the stale socket {}: {}",
                                    path, error.message()));
  }
  return absl::OkStatus();
}

// Device and inode; {0, 0}: there is none.
std::pair<dev_t, ino_t> FileAt(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<Addresses> Resolve(const std::string& host,
                                  const std::string& port) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error == 0) return Addresses(found, &freeaddrinfo);
  return CannotListen(
      fmt::format("host {}: {} (expected an address of this host)", host,
                  gai_strerror(error)));
}

}  // namespace

absl::StatusOr<ListeningSocket> ListeningSocket::Open(
    const std::string& endpoint, std::optional<gid_t> group) {
  return IsTcp(endpoint) ? OpenTcp(endpoint) : OpenUnix(endpoint, group);
}

absl::StatusOr<ListeningSocket> ListeningSocket::OpenUnix(
    const std::string& endpoint, std::optional<gid_t> group) {
  std::string path = endpoint.substr(kUnixScheme.size());
  if (absl::Status status = RemoveStaleSocket(path); !status.ok())
    return status;
  OwnedDescriptor descriptor(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = UnixAddress(path);
  // Linux gives the file the mode of the descriptor: nobody else can connect
  // before the group is set.
  if (!descriptor.is_open() || fchmod(descriptor.get(), kOwnerOnly) != 0 ||
      bind(descriptor.get(), Generic(address), sizeof(address)) != 0) {
    return CannotListen(
        fmt::format("cannot make the socket {}: {}", path, ErrorText(errno)));
  }
  ListeningSocket socket(std::move(descriptor), std::move(path), endpoint);
  socket.file_ = FileAt(socket.path_);
  constexpr auto kSameUser = static_cast<uid_t>(-1);
  if (group.has_value() &&
      lchown(socket.path_.c_str(), kSameUser, *group) != 0) {
    return CannotListen(fmt::format(
        "cannot give {} to group {}: {} (access.socket_group: expected a group "
        "of the daemon's user)",
        socket.path_, *group, ErrorText(errno)));
  }
  if (chmod(socket.path_.c_str(), kOwnerAndGroup) != 0 ||
      listen(socket.descriptor(), SOMAXCONN) != 0) {
    return CannotListen(
        fmt::format("cannot listen on {}: {}", socket.path_, ErrorText(errno)));
  }
  return socket;
}

absl::StatusOr<ListeningSocket> ListeningSocket::OpenTcp(
    const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  const std::string host =
      endpoint.substr(kTcpScheme.size(), colon - kTcpScheme.size());
  const auto addresses = Resolve(host, endpoint.substr(colon + 1));
  if (!addresses.ok()) return addresses.status();
  const addrinfo& address = **addresses;
  OwnedDescriptor descriptor(
      socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Without it, the port of a daemon that has just ended would be taken.
  const int reuse = 1;
  if (!descriptor.is_open() ||
      setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &reuse,
                 sizeof(reuse)) != 0 ||
      bind(descriptor.get(), address.ai_addr, address.ai_addrlen) != 0 ||
      listen(descriptor.get(), SOMAXCONN) != 0) {
    return CannotListen(
        fmt::format("cannot listen on {}: {} (expected an unused address of "
                    "this host)",
                    endpoint, ErrorText(errno)));
  }
  sockaddr_in actual{};
  socklen_t size = sizeof(actual);
  // NOLINTNEXTLINE: as Generic.
  getsockname(descriptor.get(), reinterpret_cast<sockaddr*>(&actual), &size);
  return ListeningSocket(std::move(descriptor), "",
                         fmt::format("{}{}", endpoint.substr(0, colon + 1),
                                     ntohs(actual.sin_port)));
}

// Not that of another daemon that has replaced it.
ListeningSocket::~ListeningSocket() {
  if (!descriptor_.is_open() || path_.empty()) return;
  if (FileAt(path_) != file_) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace coolspan
