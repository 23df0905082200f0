// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/http/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// More than the kernel buffers of a connection.
constexpr std::size_t kLargeBytes = std::size_t{64} << 20;

// A client that sends what it likes.
class RawClient {
 public:
  explicit RawClient(const std::string& address)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(
        std::stoi(address.substr(address.rfind(':') + 1))));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof(to)),
              0);
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (socket_ >= 0) close(socket_);
  }

  // False if the server has closed the connection.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent =
          send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // All that the server sends until it closes the connection.
  std::string ReadAll() const {
    std::string all;
    char bytes[4096];
    ssize_t count = 0;
    while ((count = recv(socket_, bytes, sizeof(bytes), 0)) > 0) {
      all.append(bytes, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int socket_;
};

std::size_t ThreadsOfThisProcess() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                    std::filesystem::directory_iterator()));
}

class HttpServerTest : public ::testing::Test {
 protected:
  void Serve(HttpLimits limits = {}) {
    auto server = HttpServer::Start(
        "127.0.0.1", 0,
        [this](std::string_view path) -> HttpAnswer {
          ++calls_;
          if (path == "/throws") throw std::runtime_error("out of paper");
          if (path == "/large") return {.body = std::string(kLargeBytes, 'x')};
          return {.body = std::string(path)};
        },
        limits);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  RawClient Connect() const { return RawClient(server_->address()); }
  std::string Answer(std::string_view request) const {
    const RawClient client = Connect();
    client.Send(request);
    return client.ReadAll();
  }

  std::atomic<int> calls_ = 0;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersOneRequestPerConnection) {
  Serve();
  const std::string one = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string answer = Answer(one + one + one);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\n/a"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos);
  EXPECT_EQ(calls_, 1) << "of three pipelined requests";
}

TEST_F(HttpServerTest, RefusesOtherMethodsWithoutReadingABody) {
  Serve();
  EXPECT_THAT(Answer("POST /a HTTP/1.1\r\nHost: x\r\n"
                     "Content-Length: 99999999999\r\n\r\nabc"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Answer("TRACE /a HTTP/1.1\r\nHost: x\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Answer("GET /a HTTP/1.1\r\nHost: x\r\n"
                     "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(calls_, 1);
}

TEST_F(HttpServerTest, GarbageAndHugeHeadersAreRefused) {
  Serve({.connection_time = std::chrono::seconds(1)});
  const std::string long_value(1 << 20, 'a');
  for (const std::string& request :
       {"GET /" + long_value + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: " + long_value + "\r\n\r\n",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        std::string(100, '\0') + "\r\n\r\n"}) {
    EXPECT_THAT(Answer(request), Not(HasSubstr(" 200 ")))
        << request.substr(0, 40);
  }
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 100'000; ++i) many += "A: b\r\n";
  EXPECT_THAT(Answer(many + "\r\n"), Not(HasSubstr(" 200 ")));
  EXPECT_EQ(calls_, 0);
  EXPECT_THAT(Answer("GET /alive HTTP/1.1\r\nHost: x\r\n\r\n"),
              HasSubstr("/alive"));
}

TEST_F(HttpServerTest, AnExceptionIsAnAnswer) {
  Serve();
  const std::string answer = Answer("GET /throws HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr(" 500 "));
  EXPECT_THAT(answer, HasSubstr("out of paper"));
}

// The library's own timeout starts anew with each byte.
TEST_F(HttpServerTest, AClientThatTricklesIsDisconnected) {
  Serve({.connection_time = std::chrono::milliseconds(300)});
  const RawClient client = Connect();
  int sent = 0;
  while (client.Send("G") && sent < 100'000) {
    ++sent;
    poll(nullptr, 0, 5);
  }
  EXPECT_LT(sent, 100'000);
  EXPECT_THAT(client.ReadAll(), Not(HasSubstr(" 200 ")));
}

TEST_F(HttpServerTest, AClientThatDoesNotReadIsDisconnected) {
  Serve({.connection_time = std::chrono::milliseconds(300)});
  const RawClient client = Connect();
  client.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  while (calls_ == 0) poll(nullptr, 0, 5);
  // The connections of the limit would be used up.
  EXPECT_THAT(Answer("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("/a"));
  poll(nullptr, 0, 1000);
  EXPECT_LT(client.ReadAll().size(), kLargeBytes);
}

TEST_F(HttpServerTest, SilentConnectionsTakeNoThreadAndGiveWay) {
  Serve({.connections = 16,
         .connection_time = std::chrono::hours(1),
         .crowded_time = std::chrono::milliseconds(100)});
  const std::size_t threads = ThreadsOfThisProcess();
  std::vector<RawClient> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(Connect());
    silent.back().Send("GET / HT");
  }
  EXPECT_THAT(Answer("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("/a"));
  EXPECT_EQ(ThreadsOfThisProcess(), threads);
}

TEST_F(HttpServerTest, StopsWithOpenConnections) {
  Serve();
  const RawClient client = Connect();
  client.Send("GET / HT");
  server_.reset();
  EXPECT_THAT(client.ReadAll(), IsEmpty());
}

TEST_F(HttpServerTest, PortInUseIsAnError) {
  Serve();
  const std::string& address = server_->address();
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  const auto second = HttpServer::Start("127.0.0.1", port, nullptr);
  EXPECT_TRUE(absl::IsFailedPrecondition(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("Address already in use"));
}

}  // namespace
}  // namespace coolspan
