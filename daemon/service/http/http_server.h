// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_HTTP_HTTP_SERVER_H_
#define COOLSPAN_SERVICE_HTTP_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace coolspan {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// What clients cannot exceed.
struct HttpLimits {
  unsigned connections = 128;  // others wait in the kernel
  std::size_t request_bytes = std::size_t{16} << 10;  // line and headers
  // For the request and its answer; crowded: while all connections are taken.
  std::chrono::milliseconds connection_time{10'000};
  std::chrono::milliseconds crowded_time{1'000};
  int answers_per_second = 200;  // on average
};

// Answers GET and HEAD over plain HTTP, for monitoring: one request per
// connection, bodies are not read. One thread serves all clients, so a slow
// client holds no thread.
class HttpServer {
 public:
  // path: of the request, without the query. Called on the server's thread.
  using Answer = std::function<HttpAnswer(std::string_view path)>;

  // host: a numeric address. port 0: any free one. Error: FAILED_PRECONDITION
  // (cannot listen).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const std::string& host, int port, Answer answer, HttpLimits limits = {});
  // Closes all connections.
  virtual ~HttpServer() = default;

  // HOST:PORT with the actual port.
  virtual const std::string& address() const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_HTTP_HTTP_SERVER_H_
