// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/server.h"

#include <fmt/format.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "service/journal/watch_hub.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/call_counter.h"
#include "service/rpc/telemetry_service.h"

namespace coolspan {
namespace {

// The largest message is a Sync of a million nodes and their jobs.
constexpr int kMaxMessageBytes = 256 << 20;
// Each call in progress occupies a thread. Without a free one, gRPC refuses
// calls, so the calls that may wait or last leave this many to decisions and
// events.
constexpr int kThreadsForShortCalls = 128;
constexpr int kMaxThreads =
    kThreadsForShortCalls + AllocatorService::kMaxSessions +
    AllocatorService::kMaxWaitingPreviews +
    AllocatorService::kMaxWaitingReports + TelemetryService::kMaxStreams +
    static_cast<int>(WatchHub::kMaxWatchers);
constexpr int kMaxPollers = 64;
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr int kMinPingIntervalMs = 5'000;

std::optional<std::string> SocketPath(const std::string& endpoint) {
  constexpr std::string_view kUnix = "unix://";
  if (endpoint.compare(0, kUnix.size(), kUnix) != 0) return std::nullopt;
  return endpoint.substr(kUnix.size());
}

// errno of connecting to a Unix socket; 0: a process listens.
int ConnectError(const std::string& path) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  // NOLINTNEXTLINE: the sockets interface requires this cast.
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  const int failed = connect(descriptor, generic, sizeof(address));
  const int error = failed == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

// gRPC unlinks any existing socket, also one in use; this removes only a stale
// one.
absl::Status RemoveStaleSocket(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  const fs::path directory = fs::path(path).parent_path();
  if (!fs::is_directory(directory, error)) {
    return absl::FailedPreconditionError(
        fmt::format("listen: directory {} does not exist", directory.string()));
  }
  if (!fs::exists(status)) return absl::OkStatus();
  if (!fs::is_socket(status)) {
    return absl::FailedPreconditionError(
        fmt::format("listen: {} exists and is not a socket", path));
  }
  const int connect_error = ConnectError(path);
  if (connect_error == 0) {
    return absl::FailedPreconditionError(
        fmt::format("listen: another daemon listens on {}", path));
  }
  if (connect_error != ECONNREFUSED) {
    return absl::FailedPreconditionError(
        fmt::format("listen: cannot connect to the existing socket {}: {}",
                    path, std::generic_category().message(connect_error)));
  }
  if (!fs::remove(path, error)) {
    return absl::FailedPreconditionError(
        fmt::format("listen: cannot remove the stale socket {}: {}", path,
                    error.message()));
  }
  return absl::OkStatus();
}

void SetLimits(grpc::ServerBuilder& builder) {
  grpc::ResourceQuota quota("coolspand");
  quota.SetMaxThreads(kMaxThreads);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  // A thread that has answered waits for the next call. With few pollers it
  // would end instead, and a new one would be made.
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kMaxPollers);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             kKeepaliveTimeoutMs);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Otherwise two daemons on one port would share the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

// gRPC's ipv4: scheme takes numbers only; a bare HOST:PORT takes names too.
std::string ListenAddress(const std::string& endpoint) {
  constexpr std::string_view kIpv4 = "ipv4:";
  return SocketPath(endpoint).has_value() ? endpoint
                                          : endpoint.substr(kIpv4.size());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    std::span<const std::string> endpoints,
    std::span<grpc::Service* const> services, CallCounts& counts) {
  for (const std::string& endpoint : endpoints) {
    const std::optional<std::string> path = SocketPath(endpoint);
    if (!path.has_value()) continue;
    if (absl::Status status = RemoveStaleSocket(*path); !status.ok()) {
      return status;
    }
  }
  grpc::ServerBuilder builder;
  SetLimits(builder);
  std::vector<
      std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
      interceptors;
  interceptors.push_back(MakeCallCounter(counts));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  std::vector<int> ports(endpoints.size(), 0);
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    builder.AddListeningPort(ListenAddress(endpoints[i]),
                             grpc::InsecureServerCredentials(), &ports[i]);
  }
  for (grpc::Service* const service : services) {
    builder.RegisterService(service);
  }
  std::unique_ptr<Server> server(new Server);
  constexpr mode_t kOwnerAndGroup = 0117;
  const mode_t umask_before = umask(kOwnerAndGroup);
  server->server_ = builder.BuildAndStart();
  umask(umask_before);
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    if (ports[i] == 0 || server->server_ == nullptr) {
      return absl::FailedPreconditionError(fmt::format(
          "listen: cannot listen on {} (expected an unused address of this "
          "host)",
          ports[i] == 0 ? endpoints[i]
                        : fmt::format("{}", fmt::join(endpoints, ", "))));
    }
    std::string endpoint = endpoints[i];
    if (!SocketPath(endpoint).has_value()) {
      endpoint.erase(endpoint.rfind(':') + 1);
      endpoint += std::to_string(ports[i]);
    }
    server->endpoints_.push_back(std::move(endpoint));
  }
  return server;
}

void Server::Stop(std::chrono::milliseconds grace) {
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + grace);
  server_->Wait();
  server_.reset();
  for (const std::string& endpoint : endpoints_) {
    const std::optional<std::string> path = SocketPath(endpoint);
    std::error_code ignored;
    if (path.has_value()) std::filesystem::remove(*path, ignored);
  }
}

Server::~Server() { Stop(std::chrono::milliseconds(0)); }

}  // namespace coolspan
