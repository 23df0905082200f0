// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/calls.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/client/fake_daemon.h"

namespace coolspan {
namespace {

std::unique_ptr<Calls> Connect(
    const std::string& endpoints,
    std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
  auto calls = Calls::Create(endpoints, timeout);
  EXPECT_TRUE(calls.ok()) << calls.status();
  return *std::move(calls);
}

TEST(CallsTest, ReturnsRepliesAndErrorsOfTheDaemon) {
  SocketFolder folder;
  FakeDaemon daemon(folder.Path("a"));
  const auto calls = Connect(daemon.endpoint());
  const auto status = calls->Status();
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->clusters(0).name(), "test");
  v1::ExplainRequest request;
  request.set_job_id(7);
  EXPECT_EQ(calls->Explain(request)->decisions(0).id(), "7.0.1");
  request.set_job_id(0);
  EXPECT_EQ(calls->Explain(request).status(),
            absl::NotFoundError("no decision on job 0"));
}

TEST(CallsTest, DeadAndHungDaemonsAreUnavailable) {
  SocketFolder folder;
  const std::string none = "unix://" + folder.Path("none");
  EXPECT_EQ(Connect(none)->Status().status(),
            absl::UnavailableError("no response from coolspand at " + none +
                                   ": No such file or directory (is coolspand "
                                   "running?)"));
  FakeDaemon daemon(folder.Path("a"));
  daemon.hung = true;
  const auto calls = Connect(daemon.endpoint(), std::chrono::milliseconds(100));
  EXPECT_EQ(calls->Status().status(),
            absl::UnavailableError("no response from coolspand at " +
                                   daemon.endpoint() +
                                   ": timed out after 100 ms (is coolspand "
                                   "running?)"));
}

TEST(CallsTest, TriesTheNextEndpoint) {
  SocketFolder folder;
  FakeDaemon daemon(folder.Path("b"));
  const auto calls =
      Connect("unix://" + folder.Path("a") + "," + daemon.endpoint());
  EXPECT_TRUE(calls->Status().ok());
}

// That one may have what the others do not.
TEST(CallsTest, ADaemonThatDoesNotRespondIsNamedIfTheOthersDoNotKnow) {
  SocketFolder folder;
  FakeDaemon daemon(folder.Path("b"));
  const std::string none = "unix://" + folder.Path("a");
  v1::ExplainRequest request;
  const absl::Status status =
      Connect(none + "," + daemon.endpoint())->Explain(request).status();
  EXPECT_EQ(status,
            absl::UnavailableError("no response from coolspand at " + none +
                                   ": No such file or directory (is coolspand "
                                   "running?); no decision on job 0 at " +
                                   daemon.endpoint()));
}

}  // namespace
}  // namespace coolspan
