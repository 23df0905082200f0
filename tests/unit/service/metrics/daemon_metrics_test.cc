// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/daemon_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "coolspan/v1/telemetry.grpc.pb.h"
#include "folders.h"
#include "room_machine.h"
#include "telemetry/prometheus_text.h"
#include "topology/block_tree.h"
#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class DaemonMetricsTest : public ServingTest {
 protected:
  DaemonMetricsTest() : ServingTest("http: {listen: \"127.0.0.1:0\"}\n") {
    Sync();
  }

  void StartInRoom() {
    DaemonSetup setup = SmallSetup(folder_.File(""), more_);
    std::vector<double> heat(64, 0.0);
    for (std::size_t node = 0; node < 8; ++node) heat[9 * node] = 0.01;
    Blocks blocks;
    blocks.first_node = {0, 4, 8};
    blocks.base_nodes = 4;
    blocks.sizes = {1};
    const auto machine = *Machine::Create(
        "room", {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"},
        *MakeBlockTree(std::move(blocks)));
    setup.machine = InRoom(*machine, RoomDescription(8, 8, heat));
    setup.ordering = *MakeOrdering(*setup.machine, "row-major");
    setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
    Serve(setup);
    Sync();
  }
  httplib::Result Get(const std::string& path) const {
    httplib::Client client("http://" + daemon_->http_address());
    client.set_read_timeout(std::chrono::seconds(60));
    return client.Get(path);
  }
  std::string Page() const {
    const httplib::Result result = Get("/metrics");
    EXPECT_TRUE(result) << httplib::to_string(result.error());
    return result ? result->body : "";
  }
  // Samples by name and labels, as "name{c,enforce}"; of a page that is made
  // after the call.
  std::map<std::string, double> Samples() const {
    // A page is kept for a second.
    std::this_thread::sleep_for(std::chrono::milliseconds(1001));
    const auto samples = ParsePrometheusText(Page());
    EXPECT_TRUE(samples.ok()) << samples.status();
    std::map<std::string, double> found;
    for (const PrometheusSample& sample : *samples) {
      std::string key = sample.name + "{";
      for (const auto& [label, value] : sample.labels) {
        key += (key.back() == '{' ? "" : ",") + value;
      }
      const bool is_new = found.emplace(key + "}", sample.value).second;
      EXPECT_TRUE(is_new) << key;
    }
    return found;
  }
  // An advised job of two nodes, a fallback, an enforced and a waiting job.
  void RunJobs() {
    Allocate(AskFor(epoch_, 1, 2));
    v1::Event event = CommitOf(epoch_, 1, 1, {1, 2});
    event.mutable_start()->set_verdict("enforced");
    event.mutable_start()->set_decision_id("1.0.1");
    Commit(event);
    v1::AllocateRequest advised = AskFor(epoch_, 2, 2);
    advised.set_mode("advise");
    Allocate(advised);
    event = CommitOf(epoch_, 2, 2, {6, 8});
    event.mutable_start()->set_verdict("advised");
    event.mutable_start()->set_decision_id("2.0.1");
    Commit(event);
    event = CommitOf(epoch_, 3, 3, {7});
    event.mutable_start()->set_verdict("fallback");
    event.mutable_start()->set_reason("Slurm rejected the nodes of 3.0.1");
    event.mutable_start()->set_reason_class("rejected");
    Commit(event);
    Allocate(AskFor(epoch_, 4, 1));
    Allocate(AskFor(epoch_, 5, 8));
    v1::KeepAliveRequest alive;
    alive.set_cluster("c");
    alive.set_epoch(epoch_);
    alive.set_client_id("q");
    alive.mutable_client()->set_allocates(9);
    alive.mutable_client()->set_outages(2);
    alive.mutable_client()->set_breaker_open(true);
    Good(&Stub::KeepAlive, alive);
  }
  // A reading of the inlet and power of n1.
  void SendReading() {
    const auto stub = v1::Telemetry::NewStub(grpc::CreateChannel(
        daemon_->endpoints()[0], grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    v1::ReportReply reply;
    const auto stream = stub->Report(&context, &reply);
    v1::Readings readings;
    v1::Reading& reading = *readings.add_readings();
    reading.set_node("n1");
    reading.set_inlet_c(17);
    reading.set_power_w(120);
    stream->Write(readings);
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(reply.taken(), 1u);
  }
};

TEST_F(DaemonMetricsTest, AreTheNumbersOfStatus) {
  RunJobs();
  const v1::StatusReply status = Good(&Stub::Status, v1::StatusRequest());
  const auto samples = Samples();
  const v1::ClusterStatus& cluster = status.clusters(0);
  double decisions = 0;
  double placed = 0;
  for (const auto& [key, value] : samples) {
    if (!key.starts_with("coolspan_decisions_total")) continue;
    decisions += value;
    if (key.ends_with(",placed}")) placed += value;
  }
  EXPECT_EQ(decisions, status.decisions());
  EXPECT_EQ(decisions, 4);
  EXPECT_EQ(placed, status.placed());
  EXPECT_EQ(samples.at("coolspan_decisions_total{first-fit,enforce,placed}"),
            2);
  EXPECT_EQ(samples.at("coolspan_decisions_total{first-fit,advise,placed}"), 1);
  EXPECT_EQ(
      samples.at("coolspan_decisions_total{first-fit,enforce,not_placed}"), 1);
  EXPECT_EQ(samples.at("coolspan_decision_seconds_count{first-fit}"), 4);
  EXPECT_EQ(samples.at("coolspan_job_starts_total{c,enforced}"),
            cluster.starts().enforced());
  EXPECT_EQ(samples.at("coolspan_job_reasons_total{c,fallback,rejected}"),
            cluster.starts().fallback(0).jobs());
  EXPECT_EQ(samples.at("coolspan_job_starts_total{c,fallback}"), 1);
  EXPECT_EQ(samples.at("coolspan_job_starts_total{c,left}"), 0);
  EXPECT_EQ(samples.at("coolspan_nodes{c}"), cluster.nodes());
  EXPECT_EQ(samples.at("coolspan_nodes_free{c}"), cluster.nodes_free());
  EXPECT_EQ(samples.at("coolspan_nodes_held{c}"), 5);
  EXPECT_EQ(cluster.nodes_held(), 5u);
  EXPECT_EQ(samples.at("coolspan_nodes_tentative{c}"), 1);
  EXPECT_EQ(cluster.nodes_tentative(), 1u);
  EXPECT_EQ(samples.at("coolspan_jobs{c,committed}"), cluster.jobs_committed());
  EXPECT_EQ(samples.at("coolspan_jobs{c,tentative}"), cluster.jobs_tentative());
  EXPECT_EQ(samples.at("coolspan_client_requests_total{c}"), 9);
  EXPECT_EQ(samples.at("coolspan_client_outages_total{c}"), 2);
  EXPECT_EQ(samples.at("coolspan_client_breaker_open{c}"), 1);
  EXPECT_EQ(cluster.client().outages(), 2u);
}

TEST_F(DaemonMetricsTest, CountsEventsCallsAndDistances) {
  RunJobs();
  v1::AllocateReply refused;
  EXPECT_FALSE(
      Call(&Stub::Allocate, AskFor("an old epoch", 9, 1), refused).ok());
  const auto samples = Samples();
  EXPECT_EQ(samples.at("coolspan_events_total{c,sync}"), 1);
  EXPECT_EQ(samples.at("coolspan_events_total{c,commit}"), 3);
  EXPECT_EQ(samples.at("coolspan_events_total{c,release}"), 0);
  EXPECT_EQ(samples.at("coolspan_calls_total{Allocate,OK}"), 4);
  EXPECT_EQ(samples.at("coolspan_calls_total{Allocate,FAILED_PRECONDITION}"),
            1);
  EXPECT_EQ(samples.at("coolspan_calls_total{Commit,OK}"), 3);
  EXPECT_EQ(samples.at("coolspan_allocate_seconds_count{}"), 5);
  // n[1-2] and n[3-4], one hop each.
  EXPECT_EQ(samples.at("coolspan_decision_pairwise_hops_sum{first-fit}"), 2);
  EXPECT_EQ(samples.at("coolspan_decision_pairwise_hops_count{first-fit}"), 2);
  EXPECT_EQ(samples.at("coolspan_advised_jobs_total{c}"), 1);
  EXPECT_EQ(samples.at("coolspan_advised_pairwise_hops_total{c,coolspan}"), 1);
  EXPECT_EQ(samples.at("coolspan_advised_pairwise_hops_total{c,slurm}"), 2);
  EXPECT_EQ(samples.at("coolspan_store_writable{ledger,write}"), 1);
  EXPECT_GE(samples.at("coolspan_store_write_seconds_count{ledger,sync}"), 1);
  EXPECT_EQ(samples.at("coolspan_queue_limit{archive}"),
            Archiver::kMaxUnwritten);
}

TEST_F(DaemonMetricsTest, PageHasEveryMetricOfTheTableAndNoOther) {
  StartInRoom();
  RunJobs();
  SendReading();
  std::set<std::string> expected;
  for (const MetricInfo& info : MetricTable()) {
    expected.insert(std::string(info.name));
  }
  std::set<std::string> found;
  std::istringstream page(Page());
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("# TYPE ")) continue;
    std::istringstream words(line.substr(7));
    std::string name;
    words >> name;
    found.insert(name);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(DaemonMetricsTest, ShowTheRoomAndItsSensors) {
  StartInRoom();
  SendReading();
  const auto samples = Samples();
  EXPECT_NEAR(samples.at("coolspan_room_steady_peak_inlet_celsius{}"), 16, 0.5);
  EXPECT_EQ(samples.at("coolspan_room_redline_celsius{}"), 30);
  EXPECT_NEAR(samples.at("coolspan_room_inlet_celsius{n8}"), 16, 0.5);
  EXPECT_EQ(samples.at("coolspan_sensors{inlet,good}"), 1);
  EXPECT_EQ(samples.at("coolspan_sensors{inlet,unknown}"), 7);
  EXPECT_GE(samples.at("coolspan_sensor_newest_age_seconds{inlet}"), 1);
  EXPECT_LT(samples.at("coolspan_sensor_oldest_age_seconds{inlet}"), 60);
  EXPECT_GT(samples.at("coolspan_room_cooling_watts{}"), 0);
}

// Every name that a client may choose is at its limit.
TEST_F(DaemonMetricsTest, HostileNamesAreBoundedAndEscaped) {
  for (std::size_t i = 0; i < LiveClusters::kMaxClusters + 6; ++i) {
    v1::SyncRequest sync = SmallSync();
    sync.set_cluster(std::to_string(i) + "\"\\" + std::string(200, 'x'));
    v1::SyncReply reply;
    Call(&Stub::Sync, sync, reply);
  }
  for (std::uint64_t i = 1; i <= 100; ++i) {
    v1::Event event = CommitOf(epoch_, i, static_cast<std::uint32_t>(i), {1});
    event.mutable_start()->set_verdict("left");
    event.mutable_start()->set_reason("\x1b\n" + std::to_string(i));
    Commit(event);
  }
  const std::string page = Page();
  for (const char byte : page) {
    ASSERT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~')) << int{byte};
  }
  const auto samples = ParsePrometheusText(page);
  ASSERT_TRUE(samples.ok()) << samples.status();
  std::set<std::string> clusters;
  std::set<std::string> reasons;
  for (const PrometheusSample& sample : *samples) {
    clusters.insert(std::string(sample.Label("cluster")));
    reasons.insert(std::string(sample.Label("reason")));
  }
  EXPECT_EQ(clusters.size(), LiveClusters::kMaxClusters + 1);  // and ""
  EXPECT_EQ(reasons.size(), StartCounts::kMaxReasons + 1);
  EXPECT_THAT(reasons, Contains("other"));
}

// tests/bench/flood_load.cc measures that decisions are not delayed.
TEST_F(DaemonMetricsTest, AFloodTakesNoThreadsAndNoDecisions) {
  Page();
  const auto count_threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
  };
  RunJobs();
  const auto threads = count_threads();
  const std::string address = daemon_->http_address();
  std::vector<int> sockets;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(
      std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // More than the kernel's queue takes: not waited for.
  for (int i = 0; i < 300; ++i) {
    sockets.push_back(
        socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    connect(sockets.back(), reinterpret_cast<sockaddr*>(&to), sizeof(to));
    send(sockets.back(), "GET /metrics HT", 15, MSG_NOSIGNAL);
  }
  for (std::uint32_t job = 100; job < 200; ++job) {
    EXPECT_TRUE(Allocate(AskFor(epoch_, job, 1)).placed());
    Good(&Stub::Release, EventOf(epoch_, job - 96, job));
  }
  EXPECT_LE(count_threads(), threads + 8) << "those of gRPC come and go";
  const httplib::Result health = Get("/healthz");
  ASSERT_TRUE(health) << httplib::to_string(health.error());
  EXPECT_EQ(health->body, "ok\n");
  for (const int socket : sockets) close(socket);
}

TEST_F(DaemonMetricsTest, ADrainedDaemonIsNotReady) {
  v1::DrainRequest request;
  Good(&Stub::Drain, request);
  const httplib::Result ready = Get("/readyz");
  EXPECT_EQ(ready->status, 503);
  EXPECT_THAT(ready->body, HasSubstr("the daemon is drained"));
  EXPECT_EQ(Get("/healthz")->status, 200);
  const std::string page = Get("/metrics")->body;
  EXPECT_THAT(page, HasSubstr("\ncoolspan_drained 1\n"));
  EXPECT_THAT(page, HasSubstr("\ncoolspan_ready 0\n"));
  request.set_undo(true);
  Good(&Stub::Drain, request);
  EXPECT_EQ(Get("/readyz")->status, 200);
}

TEST_F(DaemonMetricsTest, ARefusedReloadIsCounted) {
  EXPECT_THAT(Get("/metrics")->body,
              HasSubstr("\ncoolspan_config_last_reload_successful 1\n"));
  grpc::ClientContext context;
  v1::ReloadReply reply;
  // This daemon was not started from a file.
  EXPECT_FALSE(stub_->Reload(&context, {}, &reply).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a page's age
  EXPECT_THAT(Get("/metrics")->body,
              HasSubstr("\ncoolspan_config_last_reload_successful 0\n"));
}

TEST_F(DaemonMetricsTest, PagesOfHealthAndErrors) {
  httplib::Client client("http://" + daemon_->http_address());
  EXPECT_EQ(Get("/healthz")->body, "ok\n");
  EXPECT_EQ(Get("/readyz")->status, 200);
  EXPECT_EQ(Get("/readyz?verbose=1")->status, 200);
  EXPECT_EQ(Get("/")->status, 404);
  EXPECT_THAT(Get("/metrics/")->body, HasSubstr("expected /metrics"));
  const auto head = client.Head("/metrics");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_THAT(head->body, IsEmpty());
  EXPECT_THAT(head->get_header_value("Content-Type"),
              StartsWith("text/plain; version=0.0.4"));
  EXPECT_EQ(client.Post("/metrics", "x", "text/plain")->status, 405);
  EXPECT_EQ(client.Delete("/healthz")->status, 405);
  EXPECT_EQ(client.Options("/healthz")->get_header_value("Allow"), "GET, HEAD");
}

TEST_F(DaemonMetricsTest, PortInUseIsAnErrorThatNamesTheOption) {
  DaemonSetup second = SmallSetup(folder_.File(""), more_);
  second.file.listen.value = {"unix://" + folder_.File("second.sock")};
  second.file.sqlite.value = folder_.File("second.db");
  second.file.archive.value = folder_.File("second.db-archive");
  const std::string& address = daemon_->http_address();
  second.file.http->port = static_cast<std::uint16_t>(
      std::stoi(address.substr(address.rfind(':') + 1)));
  const auto refused = Daemon::Start(second);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()),
              StartsWith("http.listen: cannot listen on " + address));
}

TEST(NoHttpTest, ADefaultDaemonHasNoPort) {
  const ScratchFolder folder;
  const auto daemon = Daemon::Start(SmallSetup(folder.File("")));
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  EXPECT_EQ((*daemon)->http_address(), "");
  // Column 4 is the state, 0A: listening (proc(5)).
  for (const char* const table :
       {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::set<std::string> listening;
    std::ifstream sockets(table);
    std::string number, local, remote, state, skip, inode;
    std::getline(sockets, skip);
    while (sockets >> number >> local >> remote >> state) {
      for (int i = 0; i < 5; ++i) sockets >> skip;
      sockets >> inode;
      std::getline(sockets, skip);
      if (state == "0A") listening.insert("socket:[" + inode + "]");
    }
    for (const auto& descriptor :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const auto target = std::filesystem::read_symlink(descriptor, gone);
      EXPECT_FALSE(listening.contains(target.string())) << target;
    }
  }
}

TEST(CallCountsTest, NamesTheMethods) {
  EXPECT_EQ(
      CountedCallName(CallCounts::IndexOf("/coolspan.v1.Telemetry/Report")),
      "Report");
  EXPECT_EQ(CountedCallName(CallCounts::IndexOf("/a.B/Sync")), "other");
}

// "| `name` | type | labels | meaning |", one line each, in the table's order.
TEST(MetricTableTest, DocumentationHasTheTable) {
  std::ifstream file(SourceDir() / "docs/monitoring.md");
  std::vector<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `coolspan_") || line.starts_with("| `process_")) {
      documented.push_back(line);
    }
  }
  std::vector<std::string> expected;
  for (const MetricInfo& info : MetricTable()) {
    std::string labels;
    for (const std::string_view label : info.labels) {
      if (label.empty()) continue;
      labels += (labels.empty() ? "" : ", ") + std::string(label);
    }
    expected.push_back("| `" + std::string(info.name) + "` | " +
                       std::string(NameOf(info.kind)) + " | " + labels + " | " +
                       std::string(info.help) + " |");
  }
  EXPECT_EQ(documented, expected);
}

}  // namespace
}  // namespace coolspan
