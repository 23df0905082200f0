// SPDX-License-Identifier: GPL-3.0-or-later
// The live page of a whole daemon, over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "unit/service/http/raw_client.h"
#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LivePagesTest : public ServingTest {
 protected:
  LivePagesTest() : ServingTest("http: {listen: 127.0.0.1:0, live: true}\n") {}
  explicit LivePagesTest(std::string more) : ServingTest(std::move(more)) {}

  std::string Get(const std::string& path, const std::string& headers = "",
                  const std::string& method = "GET") const {
    const RawClient client(daemon_->http_address());
    client.Send(method + " " + path + " HTTP/1.1\r\n" +
                (headers.find("Host:") == std::string::npos
                     ? "Host: localhost\r\n"
                     : "") +
                headers + "\r\n");
    return client.ReadAll();
  }
  static std::string BodyOf(const std::string& answer) {
    const std::size_t end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
  }
  Json GetJson(const std::string& path) const {
    const std::string answer = Get(path);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/json\r\n"));
    return Json::parse(BodyOf(answer), nullptr, false);
  }
  std::string ErrorOf(const std::string& path, const std::string& code) const {
    const std::string answer = Get(path);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + code + " "));
    return Json::parse(BodyOf(answer))["error"];
  }
};

class DeadPagesTest : public LivePagesTest {
 protected:
  DeadPagesTest() : LivePagesTest("http: {listen: 127.0.0.1:0}\n") {}
};

TEST_F(DeadPagesTest, AreOffByDefault) {
  for (const char* const path :
       {"/", "/live", "/live/main.js", "/api/v1/status", "/api/v1/events"}) {
    EXPECT_THAT(Get(path), StartsWith("HTTP/1.1 404 ")) << path;
  }
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(LivePagesTest, ServesItsFilesWithAPolicyAndTags) {
  const std::string page = Get("/");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy: default-src 'none';"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe")));
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
  EXPECT_EQ(BodyOf(Get("/live")), BodyOf(page));
  const std::size_t at = page.find("ETag: ") + 6;
  const std::string tag = page.substr(at, page.find("\r\n", at) - at);
  const std::string same = Get("/", "If-None-Match: " + tag + "\r\n");
  EXPECT_THAT(same, StartsWith("HTTP/1.1 304 "));
  EXPECT_EQ(BodyOf(same), "");
  EXPECT_THAT(Get("/live/main.js", "", "HEAD"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(BodyOf(Get("/live/main.js", "", "HEAD")), "");
  EXPECT_THAT(Get("/live/planes.js"), HasSubstr("text/javascript"));
  EXPECT_THAT(Get("/live/none.js"),
              HasSubstr("not found (expected / for the live page)"));
  EXPECT_THAT(Get("/", "", "POST"), StartsWith("HTTP/1.1 405 "));
}

TEST_F(LivePagesTest, ShowsADaemonWithoutClusters) {
  EXPECT_EQ(GetJson("/api/v1/status")["clusters"].size(), 0u);
  EXPECT_EQ(GetJson("/api/v1/jobs")["jobs"].size(), 0u);
  EXPECT_THAT(ErrorOf("/api/v1/jobs?cluster=x", "404"),
              HasSubstr("no cluster has connected yet"));
}

TEST_F(LivePagesTest, ShowsMachineHoldingsAndStatus) {
  Sync();
  Allocate(AskFor(epoch_, 1, 3));
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3}));
  Allocate(AskFor(epoch_, 2, 2));
  const Json machine = GetJson("/api/v1/machine");
  EXPECT_EQ(machine["nodes"], 8);
  EXPECT_EQ(machine["names"][7], "n8");
  EXPECT_EQ(machine["grid"]["dims"], Json({8}));
  const Json jobs = GetJson("/api/v1/jobs?cluster=c");
  ASSERT_EQ(jobs["jobs"].size(), 2u);
  EXPECT_EQ(jobs["jobs"][0]["name"], "1");
  EXPECT_EQ(jobs["jobs"][0]["state"], "committed");
  EXPECT_EQ(jobs["jobs"][0]["runs"], Json({0, 3}));
  EXPECT_EQ(jobs["jobs"][1]["state"], "tentative");
  EXPECT_EQ(jobs["jobs"][1]["runs"], Json({3, 2}));
  EXPECT_EQ(jobs["unavailable"], Json::array());
  const Json status = GetJson("/api/v1/status");
  EXPECT_EQ(status["machine"], "small");
  EXPECT_EQ(status["clusters"][0]["nodes_free"], 3);
  EXPECT_EQ(status["drained_ms"], nullptr);
  EXPECT_THAT(ErrorOf("/api/v1/room", "404"), HasSubstr("thermal section"));
}

TEST_F(LivePagesTest, ShowsADrainedDaemon) {
  Sync();
  Good(&Stub::Drain, v1::DrainRequest());
  EXPECT_GT(GetJson("/api/v1/status")["drained_ms"], 0);
}

TEST_F(LivePagesTest, ExplainsAsTheCommandLineDoes) {
  Sync();
  Allocate(AskFor(epoch_, 1, 3));
  const Json explained = GetJson("/api/v1/explain?job=1");
  EXPECT_EQ(explained["decisions"][0]["nodes"], "n[1-3]");
  const Json& text = explained["text"][0];
  EXPECT_EQ(text["before"], "decision 1.0.1 of ");
  EXPECT_EQ(text["after"], ", tentative");
  EXPECT_EQ(text["fields"][0], Json({"nodes", "n[1-3]"}));
  EXPECT_THAT(ErrorOf("/api/v1/explain?job=7", "404"),
              HasSubstr("no decision about job 7"));
  EXPECT_THAT(ErrorOf("/api/v1/explain?job=x&cluster=c", "400"),
              HasSubstr("expected a job id"));
  EXPECT_THAT(ErrorOf("/api/v1/explain", "400"), HasSubstr("job: expected"));
}

TEST_F(LivePagesTest, BadRequestsAreRefusedInWords) {
  EXPECT_THAT(ErrorOf("/api/v2/status", "404"), HasSubstr("/api/v1/status"));
  EXPECT_THAT(ErrorOf("/api/v1/none", "404"), HasSubstr("/api/v1/status"));
  EXPECT_THAT(ErrorOf("/api/v1/jobs?cluster=" + std::string(300, 'x'), "400"),
              HasSubstr("at most 255 bytes"));
  EXPECT_THAT(Get("/api/v1/jobs", "Host: evil.example\r\n"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Get("/api/v1/events", "Sec-Fetch-Site: cross-site\r\n"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Get("/metrics", "Host: prometheus.example\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(LivePagesTest, SendsEventsAsTheyHappen) {
  Sync();
  const RawClient client(daemon_->http_address());
  client.Send(
      "GET /api/v1/events?cluster=c HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("event: start"),
              HasSubstr("Content-Type: text/event-stream"));
  Allocate(AskFor(epoch_, 1, 3));
  EXPECT_THAT(client.ReadUntil("\"policy\":\"first-fit\""),
              HasSubstr("event: decision\ndata: "));
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3}));
  client.ReadUntil("event: committed\n");
  Good(&Stub::Release, EventOf(epoch_, 2, 1));
  client.ReadUntil("event: released\n");
  daemon_.reset();
  client.ReadAll();
}

TEST_F(LivePagesTest, TooManyStreamsAreRefused) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back(daemon_->http_address());
    clients.back().Send(
        "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    clients.back().ReadUntil("event: start");
  }
  EXPECT_THAT(ErrorOf("/api/v1/events", "503"),
              HasSubstr("too many event streams (expected at most 16)"));
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace coolspan
