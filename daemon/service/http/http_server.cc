// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/http/http_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <thread>

#include "service/http/http_status.h"
#include "service/http/listening_port.h"
#include "service/owned_descriptor.h"

namespace coolspan {
namespace {

using HttpClock = std::chrono::steady_clock;

// How often connections that last too long are closed, and how long Stop waits.
constexpr int kPollMs = 100;
constexpr std::size_t kStreamBlock = std::size_t{16} << 10;

MHD_Result AddArgument(void* request, MHD_ValueKind, const char* name,
                       const char* value) {
  static_cast<HttpRequest*>(request)->query[name] =
      value == nullptr ? "" : value;
  return MHD_YES;
}

HttpRequest RequestOf(MHD_Connection* connection, const char* path) {
  HttpRequest request;
  request.path = path;
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &AddArgument,
                            &request);
  for (const char* const name : kHttpRequestHeaders) {
    const char* const value =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    if (value != nullptr) request.headers[name] = value;
  }
  return request;
}

bool HasBody(MHD_Connection* connection) {
  const char* const length = MHD_lookup_connection_value(
      connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return (length != nullptr && std::strcmp(length, "0") != 0) ||
         MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                     MHD_HTTP_HEADER_TRANSFER_ENCODING) !=
             nullptr;
}

void AddCommonHeaders(MHD_Response* response, const std::string& content_type,
                      const std::string& cache_control) {
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                          content_type.c_str());
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                          cache_control.c_str());
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
}

class RunningHttpServer final : public HttpServer {
 public:
  RunningHttpServer(Answer answer, HttpLimits limits)
      : answer_(std::move(answer)), limits_(limits) {}
  ~RunningHttpServer() override {
    is_stopping_ = true;
    Wake();
    if (thread_.joinable()) thread_.join();
    if (daemon_ == nullptr) return;
    // The library cannot close a suspended connection.
    for (auto& [connection, state] : connections_) Resume(connection, state);
    MHD_run(daemon_);
    MHD_stop_daemon(daemon_);
  }
  RunningHttpServer(const RunningHttpServer&) = delete;
  RunningHttpServer& operator=(const RunningHttpServer&) = delete;

  absl::Status Run(const std::string& host, OwnedDescriptor listener) {
    address_ = AddressOf(host, listener.get());
    wake_ = OwnedDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    // Without threads of its own: all callbacks are called by Serve.
    daemon_ = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
        &RunningHttpServer::OnRequest, this, MHD_OPTION_LISTEN_SOCKET,
        listener.get(), MHD_OPTION_CONNECTION_LIMIT, limits_.connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.request_bytes,
        MHD_OPTION_NOTIFY_CONNECTION, &RunningHttpServer::OnConnection, this,
        MHD_OPTION_END);
    if (daemon_ == nullptr || !wake_.is_open()) {
      return ListenError(host, 0, errno);
    }
    listener.Release();  // the library closes it
    thread_ = std::thread([this] { Serve(); });
    return absl::OkStatus();
  }

  const std::string& address() const override { return address_; }

  void Wake() override {
    const std::uint64_t one = 1;
    // It cannot fail but by being full, which wakes too.
    [[maybe_unused]] const ssize_t written =
        write(wake_.get(), &one, sizeof(one));
  }

 private:
  struct Connection {
    HttpClock::time_point since = HttpClock::now();
    bool is_suspended = false;
    HttpLater later;
    std::optional<HttpAnswer> answer;  // of later
    // Of a stream; unsent: from sent on.
    std::unique_ptr<HttpStream> stream;
    bool has_stream_ended = false;
    std::string unsent;
    std::size_t sent = 0;
  };

  void Serve() {
    while (!is_stopping_) {
      WaitForEvents();
      MHD_run(daemon_);
      ResumeReady();
      CloseOldConnections();
      Pace();
    }
  }

  void WaitForEvents() {
    const MHD_DaemonInfo* const info =
        MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD);
    MHD_UNSIGNED_LONG_LONG limit_ms = 0;
    if (MHD_get_timeout(daemon_, &limit_ms) != MHD_YES) limit_ms = kPollMs;
    pollfd ready[] = {{info->epoll_fd, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    poll(ready, std::size(ready),
         static_cast<int>(std::min<MHD_UNSIGNED_LONG_LONG>(limit_ms, kPollMs)));
    std::uint64_t wakes = 0;
    [[maybe_unused]] const ssize_t count =
        read(wake_.get(), &wakes, sizeof(wakes));
  }

  void ResumeReady() {
    for (auto& [connection, state] : connections_) {
      if (!state.is_suspended) continue;
      if (state.stream != nullptr) {
        if (Refill(state)) Resume(connection, state);
      } else if (auto answer = Polled(state.later)) {
        state.answer = std::move(answer);
        Resume(connection, state);
      }
    }
  }

  static std::optional<HttpAnswer> Polled(const HttpLater& later) {
    try {
      return later.poll();
    } catch (const std::exception& error) {
      return ExceptionAnswer(error);
    }
  }

  static void Resume(MHD_Connection* connection, Connection& state) {
    if (!std::exchange(state.is_suspended, false)) return;
    state.since = HttpClock::now();
    MHD_resume_connection(connection);
  }

  // The library's own timeout would start anew with each byte. A socket that is
  // shut down ends its connection in the next MHD_run.
  void CloseOldConnections() {
    const auto now = HttpClock::now();
    const bool is_crowded = connections_.size() >= limits_.connections;
    const auto oldest =
        now - (is_crowded ? limits_.crowded_time : limits_.connection_time);
    for (auto& [connection, state] : connections_) {
      const bool is_stream = state.stream != nullptr;
      // A suspended one waits for something to send, unless its client has
      // gone.
      const bool is_over =
          is_stream && state.is_suspended
              ? IsClosed(SocketOf(connection))
              : state.since < (is_stream ? now - limits_.stalled_time : oldest);
      if (!is_over) continue;
      state.has_stream_ended = true;
      shutdown(SocketOf(connection), SHUT_RDWR);
      Resume(connection, state);
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

  // Whether the other side has closed the connection.
  static bool IsClosed(int socket) {
    pollfd state{socket, POLLRDHUP, 0};
    return poll(&state, 1, 0) == 1;
  }

  static int SocketOf(MHD_Connection* connection) {
    const MHD_ConnectionInfo* const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == nullptr ? -1 : info->connect_fd;
  }

  static void OnConnection(void* self, MHD_Connection* connection,
                           void** /*context*/,
                           MHD_ConnectionNotificationCode what) {
    auto& server = *static_cast<RunningHttpServer*>(self);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
      ++server.accepted_;
      server.connections_.try_emplace(connection);
    } else {
      server.connections_.erase(connection);
    }
  }

  static MHD_Result OnRequest(void* self, MHD_Connection* connection,
                              const char* url, const char* method,
                              const char* /*version*/, const char* /*body*/,
                              std::size_t* /*body_size*/, void** /*context*/) {
    auto& server = *static_cast<RunningHttpServer*>(self);
    Connection& state = server.connections_[connection];
    // Called again after it was resumed.
    if (state.answer.has_value()) return Queue(connection, *state.answer);
    if (state.later.poll != nullptr) return MHD_NO;  // it took too long
    // At the end of the headers: a body is never read.
    HttpReply reply = server.ReplyTo(method, connection, url);
    if (auto* const answer = std::get_if<HttpAnswer>(&reply)) {
      return Queue(connection, *answer);
    }
    if (auto* const later = std::get_if<HttpLater>(&reply)) {
      if (HasBody(connection)) {
        return Queue(connection, {.status = kHttpBadRequest,
                                  .body = "expected a request without body\n"});
      }
      state.later = std::move(*later);
      state.answer = Polled(state.later);
      if (state.answer.has_value()) return Queue(connection, *state.answer);
      state.is_suspended = true;
      MHD_suspend_connection(connection);
      return MHD_YES;
    }
    auto& stream = std::get<HttpStreamAnswer>(reply);
    state.stream = std::move(stream.stream);
    return server.QueueStream(connection, stream.content_type);
  }

  static HttpAnswer ExceptionAnswer(const std::exception& error) {
    return {.status = kHttpInternalError,
            .body = fmt::format("{}\n", error.what())};
  }

  HttpReply ReplyTo(std::string_view method, MHD_Connection* connection,
                    const char* path) const {
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
      return HttpAnswer{.status = kHttpBadMethod,
                        .body = "expected GET or HEAD\n"};
    }
    try {
      return answer_(RequestOf(connection, path));
    } catch (const std::exception& error) {
      return ExceptionAnswer(error);
    }
  }

  static MHD_Result Queue(MHD_Connection* connection,
                          const HttpAnswer& answer) {
    // NOLINTNEXTLINE: the bytes are copied, not changed.
    auto* const bytes = const_cast<char*>(answer.body.data());
    MHD_Response* const response = MHD_create_response_from_buffer(
        answer.body.size(), bytes, MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) return MHD_NO;
    AddCommonHeaders(response, answer.content_type, answer.cache_control);
    for (const auto& [name, value] : answer.headers) {
      MHD_add_response_header(response, name, value.c_str());
    }
    if (answer.status == kHttpBadMethod) {
      MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    }
    const MHD_Result result = MHD_queue_response(
        connection, static_cast<unsigned>(answer.status), response);
    MHD_destroy_response(response);
    return result;
  }

  // What the reader of a stream needs; the library deletes it.
  struct Reader {
    RunningHttpServer* server;
    MHD_Connection* connection;
  };

  MHD_Result QueueStream(MHD_Connection* connection,
                         const std::string& content_type) {
    auto reader = std::make_unique<Reader>(Reader{this, connection});
    MHD_Response* const response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, kStreamBlock, &RunningHttpServer::OnRead,
        reader.get(), [](void* one) { delete static_cast<Reader*>(one); });
    if (response == nullptr) return MHD_NO;
    [[maybe_unused]] const Reader* const owned_by_response = reader.release();
    AddCommonHeaders(response, content_type, "no-store");
    const MHD_Result result =
        MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
  }

  // False: there is nothing to send yet.
  static bool Refill(Connection& state) {
    if (state.sent < state.unsent.size() || state.has_stream_ended) return true;
    try {
      std::optional<std::string> next = state.stream->Next();
      state.has_stream_ended = !next.has_value();
      state.unsent = std::move(next).value_or("");
    } catch (const std::exception&) {
      state.has_stream_ended = true;
    }
    state.sent = 0;
    return !state.unsent.empty() || state.has_stream_ended;
  }

  static ssize_t OnRead(void* one, std::uint64_t /*position*/, char* buffer,
                        std::size_t size) {
    const auto& [server, connection] = *static_cast<Reader*>(one);
    Connection& state = server->connections_[connection];
    if (server->is_stopping_) return MHD_CONTENT_READER_END_OF_STREAM;
    state.since = HttpClock::now();
    if (!Refill(state)) {
      state.is_suspended = true;
      MHD_suspend_connection(connection);
      return 0;
    }
    if (state.has_stream_ended) return MHD_CONTENT_READER_END_OF_STREAM;
    const std::size_t count = std::min(size, state.unsent.size() - state.sent);
    state.unsent.copy(buffer, count, state.sent);
    state.sent += count;
    return static_cast<ssize_t>(count);
  }

  const Answer answer_;
  const HttpLimits limits_;
  std::string address_;
  OwnedDescriptor wake_;
  MHD_Daemon* daemon_ = nullptr;
  std::atomic<bool> is_stopping_ = false;
  // Used by the server's thread only.
  std::map<MHD_Connection*, Connection> connections_;
  int accepted_ = 0;  // since the last pause
  HttpClock::time_point next_{};
  std::thread thread_;
};

}  // namespace

const std::string& HttpRequest::header(std::string_view name) const {
  static const auto* const absent = new std::string;
  const auto found = headers.find(name);
  return found == headers.end() ? *absent : found->second;
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const std::string& host, int port, Answer answer, HttpLimits limits) {
  auto listener = ListenOnPort(host, port);
  if (!listener.ok()) return listener.status();
  auto server = std::make_unique<RunningHttpServer>(std::move(answer), limits);
  absl::Status status = server->Run(host, *std::move(listener));
  if (!status.ok()) return status;
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace coolspan
