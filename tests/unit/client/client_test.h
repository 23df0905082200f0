// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CLIENT_CLIENT_TEST_H_
#define COOLSPAN_TESTS_UNIT_CLIENT_CLIENT_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/client.h"
#include "unit/client/fake_daemon.h"

namespace coolspan {

class ClientTest : public ::testing::Test {
 protected:
  static v1::SyncRequest Snapshot() {
    v1::SyncRequest snapshot;
    snapshot.add_hostlist("n[1-8]");
    return snapshot;
  }
  static v1::AllocateRequest Request(std::uint32_t job_id) {
    v1::AllocateRequest request;
    request.mutable_job()->set_job_id(job_id);
    request.set_candidates("\xff");
    request.set_min_nodes(1);
    return request;
  }
  static v1::Holding HoldingOf(std::uint32_t job_id) {
    v1::Holding holding;
    holding.mutable_job()->set_job_id(job_id);
    holding.set_nodes("\x01");
    holding.set_whole(true);
    return holding;
  }
  static v1::Job JobOf(std::uint32_t job_id) {
    v1::Job job;
    job.set_job_id(job_id);
    return job;
  }

  std::unique_ptr<AllocatorClient> Connect(const std::string& endpoints,
                                           std::size_t queue_capacity = 1000) {
    ClientOptions options;
    options.queue_capacity = queue_capacity;
    return Connect(endpoints, std::move(options));
  }
  std::unique_ptr<AllocatorClient> Connect(const std::string& endpoints,
                                           ClientOptions options) {
    options.address = endpoints;
    options.cluster = "test";
    // Longer than a loaded test host takes to answer.
    options.deadline = std::chrono::milliseconds(500);
    options.log = [this](ClientOptions::Severity, std::string_view line) {
      const std::lock_guard lock(log_mutex_);
      log_.emplace_back(line);
    };
    auto client = AllocatorClient::Create(std::move(options));
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  static bool AllEventsAcknowledged(const AllocatorClient& client) {
    const ClientCounters counters = client.Counters();
    return counters.events_acknowledged == counters.events_queued;
  }
  // Sequence number of the last event. Checks that the daemon received all
  // events in order; one whose acknowledgement was lost is repeated.
  static std::uint64_t LastInOrder(const FakeDaemon& daemon) {
    std::uint64_t last = 0;
    for (const v1::Event& event : daemon.Events()) {
      EXPECT_LE(event.sequence(), last + 1);
      last = std::max(last, event.sequence());
    }
    return last;
  }
  // As the plugin does: if a Sync is needed, syncs and retries once.
  static absl::StatusOr<v1::AllocateReply> JobTest(AllocatorClient& client,
                                                   std::uint32_t job) {
    auto reply = client.Allocate(Request(job));
    if (!absl::IsFailedPrecondition(reply.status()) || !client.SyncNeeded())
      return reply;
    client.Sync(Snapshot());
    return client.Allocate(Request(job));
  }

  // Number of log lines that contain the text.
  int Logged(std::string_view text) {
    const std::lock_guard lock(log_mutex_);
    return static_cast<int>(
        std::count_if(log_.begin(), log_.end(), [&](const std::string& line) {
          return line.find(text) != std::string::npos;
        }));
  }

  SocketFolder folder_;

 private:
  std::mutex log_mutex_;
  std::vector<std::string> log_;
};

// A client that has sent its first Sync to a daemon.
class ConnectedClientTest : public ClientTest {
 protected:
  ConnectedClientTest() { client_->Sync(Snapshot()); }

  FakeDaemon daemon_{folder_.Path("a")};
  const std::unique_ptr<AllocatorClient> client_ = Connect(daemon_.endpoint());
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CLIENT_CLIENT_TEST_H_
