// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "unit/service/http/raw_client.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// More than the kernel buffers of a connection.
constexpr std::size_t kLargeBytes = std::size_t{64} << 20;

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
        [this](const HttpRequest& request) -> HttpReply {
          ++calls_;
          const std::string& path = request.path;
          if (path == "/throws") throw std::runtime_error("out of paper");
          if (path == "/large") {
            return HttpAnswer{.body = std::string(kLargeBytes, 'x')};
          }
          if (path == "/later") return HttpLater{[this] { return Later(); }};
          if (path == "/stream") {
            return HttpStreamAnswer{"text/plain",
                                    std::make_unique<CountedStream>(*this)};
          }
          if (path == "/request") return DescribedRequest(request);
          return HttpAnswer{.body = path};
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

  static HttpAnswer DescribedRequest(const HttpRequest& request) {
    HttpAnswer answer{.cache_control = "no-cache",
                      .headers = {{"ETag", "\"7\""}}};
    for (const auto& [name, value] : request.query) {
      answer.body += name + "=" + value + ";";
    }
    answer.body += request.header("if-none-match") + ";" +
                   request.header("host") + ";" + request.header("cookie");
    return answer;
  }
  std::optional<HttpAnswer> Later() const {
    if (!is_made_) return std::nullopt;
    return HttpAnswer{.body = "made"};
  }

  // Sends what the test lets it.
  class CountedStream final : public HttpStream {
   public:
    explicit CountedStream(HttpServerTest& test) : test_(test) {
      ++test_.streams_;
    }
    ~CountedStream() override { --test_.streams_; }
    CountedStream(const CountedStream&) = delete;
    CountedStream& operator=(const CountedStream&) = delete;
    std::optional<std::string> Next() override {
      if (sent_ == test_.allowed_) return "";
      if (++sent_ < 0) return std::nullopt;
      if (test_.is_stream_large_) return std::string(1 << 20, 'x');
      return "part " + std::to_string(sent_) + "\n";
    }

   private:
    HttpServerTest& test_;
    int sent_ = 0;
  };

  std::atomic<bool> is_made_ = false;
  std::atomic<bool> is_stream_large_ = false;
  std::atomic<int> allowed_ = 0;
  std::atomic<int> streams_ = 0;
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

TEST_F(HttpServerTest, GivesQueryAndHeaders) {
  Serve();
  const std::string answer = Answer(
      "GET /request?job=111%2B1&cluster=a&cluster=b&x HTTP/1.1\r\nHost: h:1\r\n"
      "If-None-Match: \"7\"\r\nCookie: c\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("\r\n\r\ncluster=b;job=111+1;x=;\"7\";h:1;"));
  EXPECT_THAT(answer, HasSubstr("ETag: \"7\"\r\n"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-cache\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("c\r\n\r\nc")));
}

TEST_F(HttpServerTest, ALaterAnswerHoldsUpNobody) {
  Serve();
  const RawClient waiting = Connect();
  waiting.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  while (calls_ == 0) poll(nullptr, 0, 5);
  EXPECT_THAT(Answer("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("/a"));
  is_made_ = true;
  server_->Wake();
  EXPECT_THAT(waiting.ReadAll(), HasSubstr("\r\n\r\nmade"));
  EXPECT_THAT(Answer("HEAD /later HTTP/1.1\r\nHost: x\r\n\r\n"),
              HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(Answer("GET /later HTTP/1.1\r\nHost: x\r\n"
                     "Content-Length: 5\r\n\r\nabc"),
              StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, ALaterAnswerThatTakesTooLongIsClosed) {
  Serve({.connection_time = std::chrono::milliseconds(200)});
  EXPECT_THAT(Answer("GET /later HTTP/1.1\r\nHost: x\r\n\r\n"), IsEmpty());
}

TEST_F(HttpServerTest, AStreamSendsWhatItHasWhenItHasIt) {
  Serve({.connection_time = std::chrono::milliseconds(200)});
  const RawClient client = Connect();
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  allowed_ = 1;
  EXPECT_THAT(client.ReadUntil("part 1\n"), HasSubstr("part 1\n"));
  poll(nullptr, 0, 500);  // longer than other connections last
  allowed_ = 2;
  server_->Wake();
  EXPECT_THAT(client.ReadUntil("part 2\n"), HasSubstr("part 2\n"));
  EXPECT_EQ(streams_, 1);
  server_.reset();
  EXPECT_EQ(streams_, 0);
  client.ReadAll();
}

TEST_F(HttpServerTest, AStreamEndsWithItsClient) {
  Serve();
  {
    const RawClient client = Connect();
    client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    allowed_ = 1;
    client.ReadUntil("part 1\n");
  }
  // Without another part, which would find nobody.
  while (streams_ != 0) poll(nullptr, 0, 20);
}

TEST_F(HttpServerTest, AStreamThatNobodyReadsIsClosed) {
  Serve({.stalled_time = std::chrono::milliseconds(300)});
  is_stream_large_ = true;
  allowed_ = 1 << 20;
  const RawClient client = Connect();
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  while (calls_ == 0) poll(nullptr, 0, 5);
  while (streams_ != 0) poll(nullptr, 0, 20);
}

TEST_F(HttpServerTest, StopsWithWaitingAnswersAndStreams) {
  Serve();
  const RawClient later = Connect();
  later.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  const RawClient stream = Connect();
  stream.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  while (calls_ < 2) poll(nullptr, 0, 5);
  server_.reset();
  EXPECT_THAT(later.ReadAll(), IsEmpty());
  EXPECT_THAT(stream.ReadAll(), Not(HasSubstr("part")));
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
