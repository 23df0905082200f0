// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

namespace coolspan {
namespace {

// How long accepting rests when the system lacks memory or descriptors.
constexpr std::chrono::milliseconds kRest{50};
// A connection whose peer acknowledges no data for so long is broken.
constexpr int kTcpTimeoutMs = 20'000;
constexpr ConnectionTable::Owner kTcpOwner = ConnectionTable::Owner{1} << 62;

OwnedDescriptor OpenSpare() {
  return OwnedDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

struct Credentials {
  uid_t user;
  std::vector<gid_t> groups;
};

// Of the process that connected, when it did; nullopt: the system does not
// tell. The process may be in another PID namespace, and have no number here.
std::optional<Credentials> CredentialsOf(int connection) {
  ucred process{};
  socklen_t size = sizeof(process);
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &process, &size) != 0)
    return std::nullopt;
  Credentials credentials{process.uid, {}};
  constexpr std::size_t kMaxGroups = 65'536;  // Linux's own limit
  credentials.groups.resize(64);
  for (;;) {
    size = static_cast<socklen_t>(credentials.groups.size() * sizeof(gid_t));
    if (getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS,
                   credentials.groups.data(), &size) == 0) {
      credentials.groups.resize(size / sizeof(gid_t));
      break;
    }
    if (errno != ERANGE || credentials.groups.size() >= kMaxGroups) {
      credentials.groups.clear();
      break;
    }
    credentials.groups.resize(kMaxGroups);
  }
  credentials.groups.push_back(process.gid);
  return credentials;
}

void SetTcpOptions(int connection) {
  const int no_delay = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof(no_delay));
  setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &kTcpTimeoutMs,
             sizeof(kTcpTimeoutMs));
}

void HandOver(OwnedDescriptor connection, int listener,
              Acceptor::GrpcAcceptor& to) {
  Acceptor::GrpcAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listener;
  parameters.fd = connection.Release();
  to.HandleNewConnection(&parameters);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Start(Parts parts) {
  OwnedDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  OwnedDescriptor spare = OpenSpare();
  if (!wake.is_open() || !spare.is_open()) {
    return absl::FailedPreconditionError(
        fmt::format("listen: {}", std::generic_category().message(errno)));
  }
  std::unique_ptr<Acceptor> acceptor(
      new Acceptor(std::move(parts), std::move(wake), std::move(spare)));
  return acceptor;
}

Acceptor::Acceptor(Parts parts, OwnedDescriptor wake, OwnedDescriptor spare)
    : parts_(std::move(parts)),
      connections_(parts_.limits),
      wake_(std::move(wake)),
      spare_(std::move(spare)),
      thread_([this] { Run(); }) {}

Acceptor::~Acceptor() {
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Acceptor::Run() {
  std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}};
  for (const ListeningSocket& socket : parts_.sockets)
    polled.push_back({socket.descriptor(), POLLIN, 0});
  bool is_resting = false;
  for (;;) {
    // A resting acceptor waits for the end only.
    const nfds_t count = is_resting ? 1 : polled.size();
    const int timeout_ms = is_resting ? static_cast<int>(kRest.count()) : -1;
    for (pollfd& entry : polled) entry.revents = 0;
    if (poll(polled.data(), count, timeout_ms) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    const bool has_rested = std::exchange(is_resting, false);
    for (std::size_t i = 0; i < parts_.sockets.size(); ++i) {
      if (!has_rested && polled[i + 1].revents == 0) continue;
      is_resting = !AcceptAll(parts_.sockets[i]) || is_resting;
    }
  }
}

bool Acceptor::AcceptAll(const ListeningSocket& socket) {
  // So many, before the other sockets have their turn.
  constexpr int kBatch = 64;
  for (int i = 0; i < kBatch; ++i) {
    const int connection = accept4(socket.descriptor(), nullptr, nullptr,
                                   SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection >= 0) {
      socket.is_unix() ? TakeUnix(OwnedDescriptor(connection))
                       : TakeTcp(OwnedDescriptor(connection));
      continue;
    }
    switch (errno) {
      case EAGAIN:
        return true;
      case EMFILE:
      case ENFILE:
        CloseWaiting(socket);
        return false;
      case ENOBUFS:
      case ENOMEM:
        parts_.log.Refused("any", "the system has no memory for sockets");
        return false;
      default:  // the client has given up
        continue;
    }
  }
  return true;
}

void Acceptor::TakeUnix(OwnedDescriptor connection) {
  const auto credentials = CredentialsOf(connection.get());
  if (!credentials.has_value()) return;
  const UserSlots::Slot slot = parts_.users->SlotOf(
      credentials->user, credentials->groups, connections_);
  if (slot.acceptor == nullptr) {
    parts_.log.Refused(slot.peer->name, "too many users at a time");
    return;
  }
  const bool is_limited = !slot.peer->roles.Has(Role::kResourceManager);
  if (!MayStay(connection, slot.owner, is_limited, slot.peer->name)) return;
  if (is_limited)
    connection = parts_.relay.Add(std::move(connection), slot.peer);
  if (connection.is_open()) HandOver(std::move(connection), -1, *slot.acceptor);
}

void Acceptor::TakeTcp(OwnedDescriptor connection) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  // NOLINTNEXTLINE: the sockets interface requires this cast.
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (getpeername(connection.get(), generic, &size) != 0) return;
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  SetTcpOptions(connection.get());
  if (MayStay(connection, kTcpOwner | address.sin_addr.s_addr, true,
              fmt::format("host {}", text.data()))) {
    HandOver(std::move(connection), -1, *parts_.tcp);
  }
}

bool Acceptor::MayStay(const OwnedDescriptor& connection,
                       ConnectionTable::Owner owner, bool is_limited,
                       const std::string& client) {
  switch (connections_.Add(connection.get(), owner, is_limited)) {
    case ConnectionTable::Verdict::kAccepted:
      return true;
    case ConnectionTable::Verdict::kTooMany:
      parts_.log.Refused(client, "too many connections of all clients");
      return false;
    case ConnectionTable::Verdict::kTooManyOfOwner:
      parts_.log.Refused(client, "too many connections of this client");
      return false;
  }
  return false;
}

void Acceptor::CloseWaiting(const ListeningSocket& socket) {
  parts_.log.Refused("any", "the daemon has no free descriptors (LimitNOFILE)");
  spare_.Close();
  const OwnedDescriptor refused(accept4(socket.descriptor(), nullptr, nullptr,
                                        SOCK_NONBLOCK | SOCK_CLOEXEC));
  spare_ = OpenSpare();
}

}  // namespace coolspan
