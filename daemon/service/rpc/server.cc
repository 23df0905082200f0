// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/server.h"

#include <grpc/grpc.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <future>
#include <utility>

#include "service/journal/watch_hub.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/call_counter.h"
#include "service/rpc/tcp_credentials.h"
#include "service/rpc/telemetry_service.h"

namespace coolspan {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

struct Lane {
  const char* name;
  int max_message_bytes;
  std::size_t memory_bytes;  // of messages and connections, roughly
  // Each call in progress occupies a thread. Without a free one, gRPC refuses
  // calls, so the calls that may wait or last leave this many to others.
  int threads_for_short_calls;
};
// The largest message is a Sync of a million nodes and their jobs.
constexpr Lane kManagers = {"coolspand managers", 256 * kMiB, 1024 * kMiB, 128};
// A session's Sync with the names of its nodes.
constexpr Lane kOthers = {"coolspand others", 16 * kMiB, 256 * kMiB, 64};

constexpr int kThreadsForLongCalls =
    AllocatorService::kMaxSessions + AllocatorService::kMaxWaitingPreviews +
    AllocatorService::kMaxWaitingReports + TelemetryService::kMaxStreams +
    static_cast<int>(WatchHub::kMaxWatchers);
constexpr int kMaxPollers = 64;
// Calls in progress on one connection; gRPC keeps more in the client. Slurm's
// have a connection of their own.
constexpr int kMaxStreamsPerConnection = 100;
constexpr int kMaxHeaderBytes = 16 << 10;
constexpr int kHandshakeTimeoutMs = 10'000;
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr int kMinPingIntervalMs = 5'000;
constexpr std::size_t kConnectionsForManagers = 64;
constexpr std::chrono::milliseconds kStopPoll{5};
// In which clients that make calls notice that the server takes no more.
constexpr std::chrono::milliseconds kQuietTime{200};

void CountCalls(grpc::ServerBuilder& builder, CallCounts& counts) {
  std::vector<
      std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
      interceptors;
  interceptors.push_back(MakeCallCounter(counts));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
}

void SetLimits(grpc::ServerBuilder& builder, const Lane& lane) {
  grpc::ResourceQuota quota(lane.name);
  quota.SetMaxThreads(lane.threads_for_short_calls + kThreadsForLongCalls);
  quota.Resize(lane.memory_bytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(lane.max_message_bytes);
  builder.SetMaxSendMessageSize(kManagers.max_message_bytes);
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  // A thread that has answered waits for the next call. With few pollers it
  // would end instead, and a new one would be made.
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kMaxPollers);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             kMaxStreamsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxHeaderBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             kKeepaliveTimeoutMs);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
}

// Raises the limit of descriptors as far as possible, and leaves a quarter of
// it to files and to connections of the daemon's own. A relayed connection
// takes three.
std::size_t MaxConnections(std::int64_t wanted) {
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0 &&
      descriptors.rlim_cur < descriptors.rlim_max) {
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
    getrlimit(RLIMIT_NOFILE, &descriptors);
  }
  const std::size_t allowed = descriptors.rlim_cur / 4;
  return std::min(static_cast<std::size_t>(wanted), allowed);
}

ConnectionTable::Limits ConnectionLimits(const DaemonAccess& access) {
  const std::size_t all = MaxConnections(access.max_connections);
  return {.all = all,
          .reserved = std::min(kConnectionsForManagers, all / 4),
          // One user cannot take the places of all others.
          .per_owner = std::min(
              static_cast<std::size_t>(access.max_connections_per_user),
              std::max<std::size_t>(all / 2, 1))};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const DaemonFile& file, const AccessRules& rules,
    std::span<grpc::Service* const> services, EventLog& log,
    CallCounts& counts) {
  std::vector<ListeningSocket> sockets;
  for (const std::string& endpoint : file.listen.value) {
    auto socket = ListeningSocket::Open(endpoint, rules.socket_group());
    if (!socket.ok()) return socket.status();
    sockets.push_back(*std::move(socket));
  }
  const TlsPeers peers = {.clients = file.tls.has_value(),
                          .etcd = !file.etcd.ca.value.empty()};
  std::unique_ptr<Server> server(new Server(log, peers, counts));
  for (const ListeningSocket& socket : sockets)
    server->endpoints_.push_back(socket.endpoint());
  grpc::ServerBuilder managers;
  grpc::ServerBuilder others;
  SetLimits(managers, kManagers);
  SetLimits(others, kOthers);
  CountCalls(managers, counts);
  CountCalls(others, counts);
  for (grpc::Service* const service : services) {
    managers.RegisterService(service);
    others.RegisterService(service);
  }
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  const auto calls_per_s = static_cast<double>(file.access.max_calls_per_s);
  const AccessRecords records{server->access_log_, counts};
  auto users = std::make_unique<UserSlots>(managers, others, rules, calls_per_s,
                                           records);
  auto tcp = managers.experimental().AddExternalConnectionAcceptor(
      Type::FROM_FD, TcpCredentials(file.tls, rules, calls_per_s, records));
  server->managers_ = managers.BuildAndStart();
  server->others_ = others.BuildAndStart();
  if (server->managers_ == nullptr || server->others_ == nullptr) {
    return absl::FailedPreconditionError("listen: gRPC cannot start");
  }
  auto relay = FrameRelay::Start(server->access_log_);
  if (!relay.ok()) return relay.status();
  server->relay_ = *std::move(relay);
  auto acceptor = Acceptor::Start(
      {std::move(sockets), std::move(users), std::move(tcp),
       ConnectionLimits(file.access), *server->relay_, server->access_log_});
  if (!acceptor.ok()) return acceptor.status();
  server->acceptor_ = *std::move(acceptor);
  return server;
}

void Server::Stop(std::chrono::milliseconds grace) {
  acceptor_.reset();
  const auto deadline = std::chrono::system_clock::now() + grace;
  std::vector<std::future<void>> stopping;
  for (grpc::Server* const server : {managers_.get(), others_.get()}) {
    if (server == nullptr) continue;
    stopping.push_back(std::async(std::launch::async, [server, deadline] {
      server->Shutdown(deadline);
      server->Wait();
    }));
  }
  auto quiet_since = std::chrono::steady_clock::now();
  for (const std::future<void>& stopped : stopping) {
    while (stopped.wait_for(kStopPoll) != std::future_status::ready) {
      const auto now = std::chrono::steady_clock::now();
      if (counts_.in_progress() > 0) quiet_since = now;
      if (now - quiet_since < kQuietTime) continue;
      // gRPC waits for the clients to close their connections, too. Those
      // without a call in progress need seconds to notice that they should.
      for (grpc::Server* const server : {managers_.get(), others_.get()}) {
        if (server != nullptr) {
          grpc_server_cancel_all_calls(server->c_server());
        }
      }
    }
  }
  managers_.reset();
  others_.reset();
}

Server::~Server() { Stop(std::chrono::milliseconds(0)); }

}  // namespace coolspan
