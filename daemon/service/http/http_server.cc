// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/http/http_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "service/owned_descriptor.h"

namespace coolspan {
namespace {

using HttpClock = std::chrono::steady_clock;

constexpr int kBacklog = 128;
// How often connections that last too long are closed, and how long Stop waits.
constexpr int kPollMs = 100;
constexpr int kBadMethod = 405;
constexpr int kInternalError = 500;

absl::Status ListenError(const std::string& host, int port, int error) {
  return absl::FailedPreconditionError(fmt::format(
      "http.listen: cannot listen on {}:{}: {} (expected an unused address of "
      "this host)",
      host, port, std::generic_category().message(error)));
}

absl::StatusOr<OwnedDescriptor> Listen(const std::string& host, int port) {
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

class RunningHttpServer final : public HttpServer {
 public:
  RunningHttpServer(Answer answer, HttpLimits limits)
      : answer_(std::move(answer)), limits_(limits) {}
  ~RunningHttpServer() override {
    is_stopping_ = true;
    if (thread_.joinable()) thread_.join();
    if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  }
  RunningHttpServer(const RunningHttpServer&) = delete;
  RunningHttpServer& operator=(const RunningHttpServer&) = delete;

  absl::Status Run(const std::string& host, OwnedDescriptor listener) {
    const int port = PortOf(listener.get());
    const bool is_ipv6 = host.find(':') != std::string::npos;
    address_ = is_ipv6 ? fmt::format("[{}]:{}", host, port)
                       : fmt::format("{}:{}", host, port);
    // Without threads of its own: all callbacks are called by Serve.
    daemon_ = MHD_start_daemon(
        MHD_USE_EPOLL, 0, nullptr, nullptr, &RunningHttpServer::OnRequest, this,
        MHD_OPTION_LISTEN_SOCKET, listener.get(), MHD_OPTION_CONNECTION_LIMIT,
        limits_.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        limits_.request_bytes, MHD_OPTION_NOTIFY_CONNECTION,
        &RunningHttpServer::OnConnection, this, MHD_OPTION_END);
    if (daemon_ == nullptr) return ListenError(host, port, errno);
    listener.Release();  // the library closes it
    thread_ = std::thread([this] { Serve(); });
    return absl::OkStatus();
  }

  const std::string& address() const override { return address_; }

 private:
  void Serve() {
    while (!is_stopping_) {
      MHD_run_wait(daemon_, kPollMs);
      CloseOldConnections();
      Pace();
    }
  }

  // The library's own timeout would start anew with each byte. A socket that is
  // shut down ends its connection in the next MHD_run_wait.
  void CloseOldConnections() {
    const bool is_crowded = connections_.size() >= limits_.connections;
    const auto oldest =
        HttpClock::now() -
        (is_crowded ? limits_.crowded_time : limits_.connection_time);
    for (const auto& [socket, since] : connections_) {
      if (since < oldest) shutdown(socket, SHUT_RDWR);
    }
  }

  // A flood waits, instead of taking a core from decisions.
  void Pace() {
    const auto now = HttpClock::now();
    next_ = std::max(next_, now);
    next_ += std::exchange(accepted_, 0) *
             (std::chrono::microseconds(std::chrono::seconds(1)) /
              limits_.answers_per_second);
    // A second of short bursts is not delayed.
    const auto pause = next_ - now - std::chrono::milliseconds(kPollMs);
    if (pause > HttpClock::duration::zero()) {
      std::this_thread::sleep_for(
          std::min<HttpClock::duration>(pause, std::chrono::seconds(1)));
    }
  }

  static void OnConnection(void* self, MHD_Connection* connection,
                           void** /*context*/,
                           MHD_ConnectionNotificationCode what) {
    auto& server = *static_cast<RunningHttpServer*>(self);
    const MHD_ConnectionInfo* const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info == nullptr) return;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
      ++server.accepted_;
      server.connections_[info->connect_fd] = HttpClock::now();
    } else {
      server.connections_.erase(info->connect_fd);
    }
  }

  static MHD_Result OnRequest(void* self, MHD_Connection* connection,
                              const char* url, const char* method,
                              const char* /*version*/, const char* /*body*/,
                              std::size_t* /*body_size*/, void** /*context*/) {
    const auto& server = *static_cast<RunningHttpServer*>(self);
    // At the end of the headers: a body is never read.
    return Queue(connection, server.AnswerTo(method, url));
  }

  HttpAnswer AnswerTo(std::string_view method, std::string_view path) const {
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
      return {.status = kBadMethod, .body = "expected GET or HEAD\n"};
    }
    try {
      return answer_(path);
    } catch (const std::exception& error) {
      return {.status = kInternalError,
              .body = fmt::format("{}\n", error.what())};
    }
  }

  static MHD_Result Queue(MHD_Connection* connection,
                          const HttpAnswer& answer) {
    // NOLINTNEXTLINE: the bytes are copied, not changed.
    auto* const bytes = const_cast<char*>(answer.body.data());
    MHD_Response* const response = MHD_create_response_from_buffer(
        answer.body.size(), bytes, MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    const auto add = [response](const char* name, const char* value) {
      MHD_add_response_header(response, name, value);
    };
    add(MHD_HTTP_HEADER_CONNECTION, "close");
    add(MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
    add(MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    add("X-Content-Type-Options", "nosniff");
    if (answer.status == kBadMethod) add(MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    const MHD_Result result = MHD_queue_response(
        connection, static_cast<unsigned>(answer.status), response);
    MHD_destroy_response(response);
    return result;
  }

  const Answer answer_;
  const HttpLimits limits_;
  std::string address_;
  MHD_Daemon* daemon_ = nullptr;
  std::atomic<bool> is_stopping_ = false;
  // Used by the server's thread only.
  std::map<int, HttpClock::time_point> connections_;  // by socket
  int accepted_ = 0;                                  // since the last pause
  HttpClock::time_point next_{};
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const std::string& host, int port, Answer answer, HttpLimits limits) {
  auto listener = Listen(host, port);
  if (!listener.ok()) return listener.status();
  auto server = std::make_unique<RunningHttpServer>(std::move(answer), limits);
  absl::Status status = server->Run(host, *std::move(listener));
  if (!status.ok()) return status;
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace coolspan
