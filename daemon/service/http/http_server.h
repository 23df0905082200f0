// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_HTTP_HTTP_SERVER_H_
#define COOLSPAN_SERVICE_HTTP_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// A GET or HEAD request. Bytes of clients, not checked.
struct HttpRequest {
  std::string path;  // without the query
  // Decoded. Of a repeated name the last value; a name without "=": "".
  std::map<std::string, std::string, std::less<>> query;
  // With names in lower case: those of kHttpRequestHeaders.
  std::map<std::string, std::string, std::less<>> headers;

  // "" if it is absent.
  const std::string& header(std::string_view name) const;
};

inline constexpr const char* kHttpRequestHeaders[] = {
    "host", "if-none-match", "last-event-id", "sec-fetch-site"};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string cache_control = "no-store";
  std::vector<std::pair<const char*, std::string>> headers =
      {};  // further ones
};

// An answer that is made elsewhere. poll: called on the server's thread, after
// HttpServer::Wake and at least ten times a second; nullopt: not yet.
struct HttpLater {
  std::function<std::optional<HttpAnswer>()> poll;
};

// An answer without an end. Called on the server's thread only.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // What is to be sent next; "": nothing yet, asked again as HttpLater is.
  // nullopt: the stream has ended. Called only when all before is sent.
  virtual std::optional<std::string> Next() = 0;
};

struct HttpStreamAnswer {
  std::string content_type;
  std::unique_ptr<HttpStream> stream;
};

using HttpReply = std::variant<HttpAnswer, HttpLater, HttpStreamAnswer>;

// What clients cannot exceed.
struct HttpLimits {
  unsigned connections = 128;  // others wait in the kernel
  std::size_t request_bytes = std::size_t{16} << 10;  // line and headers
  // For the request and its answer; crowded: while all connections are taken.
  std::chrono::milliseconds connection_time{10'000};
  std::chrono::milliseconds crowded_time{1'000};
  // For a client that does not read what a stream has for it.
  std::chrono::milliseconds stalled_time{60'000};
  int answers_per_second = 200;  // on average
};

// Answers GET and HEAD over plain HTTP: one request per connection, bodies are
// not read. One thread serves all clients, so a slow client holds no thread.
class HttpServer {
 public:
  // Called on the server's thread: an answer that takes time is an HttpLater.
  using Answer = std::function<HttpReply(const HttpRequest& request)>;

  // host: a numeric address. port 0: any free one. Error: FAILED_PRECONDITION
  // (cannot listen).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const std::string& host, int port, Answer answer, HttpLimits limits = {});
  // Closes all connections.
  virtual ~HttpServer() = default;

  // HOST:PORT with the actual port.
  virtual const std::string& address() const = 0;
  // Later answers and streams have something to send. Thread-safe.
  virtual void Wake() = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_HTTP_HTTP_SERVER_H_
