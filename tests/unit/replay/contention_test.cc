// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/comm_pattern.h"
#include "mesh_machine.h"
#include "network_machines.h"
#include "replay/contention/shared_network.h"
#include "replay/output/replaced_file.h"
#include "replay/output/series_csv.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "scratch_file.h"
#include "topology/routes.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// A row of nodes, links of 1 GB/s.
class SharedNetworkTest : public testing::Test {
 protected:
  void Start(JobIndex job, const std::vector<NodeId>& nodes, TimeMs logged_ms,
             TimeMs now_ms,
             const SharedNetwork::RankTraffic* traffic = nullptr) {
    network_.Started({.job = job,
                      .nodes = nodes,
                      .traffic = traffic,
                      .logged_ms = logged_ms,
                      .now_ms = now_ms},
                     machine_->topology());
  }
  // The ends that have moved.
  std::map<JobIndex, TimeMs> Update(TimeMs now_ms) {
    std::map<JobIndex, TimeMs> moved;
    network_.Update(now_ms,
                    [&](JobIndex job, TimeMs end_ms) { moved[job] = end_ms; });
    return moved;
  }
  // By the ends of the link.
  double UseOf(VertexId from, VertexId to) const {
    const Routes& routes = network_.routes();
    for (LinkId link = 0; link < routes.link_count(); ++link) {
      if (routes.EndsOf(link) == Routes::Ends{from, to}) {
        return network_.UseOf(link);
      }
    }
    return -1;
  }

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({6}));
  SharedNetwork network_{
      {.routes = MakeRoutes(machine_->topology(), {}).value(),
       .link_gb_per_s = 1,
       .send_gb_per_s = 0.5,
       .communication_share = 0.4}};
};

TEST_F(SharedNetworkTest, JobsOnLinksOfTheirOwnRunAsLogged) {
  Start(1, {0, 1}, 1000, 0);
  Start(2, {2, 3}, 1000, 0);
  Start(3, {4}, 500, 0);
  EXPECT_TRUE(Update(0).empty());
  EXPECT_EQ(UseOf(0, 1), 0.5);
  EXPECT_EQ(UseOf(1, 2), 0);
  EXPECT_EQ(network_.Now(), (NetworkUse{4 * 0.5 / 10, 0.5, 0}));
}

TEST_F(SharedNetworkTest, JobsSlowEachOtherWhileTheyShareAFullLink) {
  Start(1, {0, 3}, 1000, 0);
  Start(2, {1, 4}, 1000, 0);
  EXPECT_TRUE(Update(0).empty()) << "two halves of a link";
  Start(3, {2, 5}, 1000, 500);
  // All three share the link from 2 to 3: x = 2/3, so 0.6 + 0.4 * 1.5.
  EXPECT_EQ(Update(500),
            (std::map<JobIndex, TimeMs>{{1, 1100}, {2, 1100}, {3, 1700}}));
  EXPECT_NEAR(UseOf(2, 3), 1, 1e-9);
  EXPECT_EQ(network_.Now().full_links, 2U);
  network_.Ended(1);
  network_.Ended(2);
  // 500 of 1000 ms are done, and then nobody is in the way.
  EXPECT_EQ(Update(1100), (std::map<JobIndex, TimeMs>{{3, 1600}}));
}

TEST_F(SharedNetworkTest, AJobCanFillLinksAlone) {
  // All-to-all of six nodes: 3 * 3 pairs over the middle link, each with a
  // fifth of 0.5 GB/s; x = 1 / 0.9.
  Start(1, {0, 1, 2, 3, 4, 5}, 9000, 0);
  EXPECT_TRUE(Update(0).empty());
  EXPECT_NEAR(UseOf(2, 3), 0.9, 1e-12);
}

TEST_F(SharedNetworkTest, PatternsDecideTheTraffic) {
  // Rank 0 sends twice as much to rank 1 as rank 1 to rank 2, on one node.
  const auto pattern =
      CommPattern::Create(3, {{0, 1, 2}, {1, 2, 1}, {2, 1, 5}}).value();
  const std::vector<NodeId> rank_to_node = {0, 2, 2};
  const SharedNetwork::RankTraffic traffic = {*pattern, rank_to_node};
  Start(1, {0, 2}, 1000, 0, &traffic);
  Update(0);
  EXPECT_EQ(UseOf(0, 1), 0.5);
  EXPECT_EQ(UseOf(1, 2), 0.5);
  EXPECT_EQ(UseOf(1, 0), 0);
}

TEST_F(SharedNetworkTest, TrafficIsThatOfTheLoggedRunTime) {
  Start(1, {0, 3}, 1000, 0);
  Start(2, {1, 4}, 1000, 0);
  Start(3, {2, 5}, 1000, 0);
  Update(0);
  // Stretched by 1.2: half is done at 600 ms, with 0.4 of it communication.
  const SharedNetwork::Sent sent = network_.SentBy(1, 600);
  EXPECT_NEAR(sent.seconds, 0.2, 1e-12);
  EXPECT_EQ(sent.loads.size(), 6U);
  EXPECT_EQ(sent.loads[0].load, 0.5);
}

// A row of four nodes, on which jobs of two get nodes 0 and 2, then 1 and 3.
class ContentionTest : public testing::Test {
 protected:
  ContentionTest() {
    setup_.machine = MeshMachine(FlatGrid({4}));
    const ScratchFile order("n0 n2 n1 n3\n");
    lists_.orderings = {
        MakeOrdering(*setup_.machine, "file:" + order.path()).value()};
    lists_.policies = {"first-fit"};
    setup_.open_port = InProcessPorts(setup_.machine, {});
    setup_.runtime.model = "contention";
    setup_.runtime.communication_share = 0.5;
    workload_.jobs = {Job(0, 100, 2), Job(50, 100, 2)};
  }
  RunReport Run() {
    setup_.runs = EveryRun(lists_);
    auto reports = Replay(setup_, OneWorkload(workload_), started_);
    EXPECT_TRUE(reports.ok()) << reports.status();
    return reports->front();
  }

  ReplaySetup setup_;
  RunLists lists_;
  Workload workload_;
  std::atomic<std::uint64_t> started_ = 0;
};

// Each job communicates half of its time and fills the link between 1 and 2: 50
// s alone, 75 s beside the other with half of the link, and 50 s alone.
TEST_F(ContentionTest, RunTimesStretchWhileJobsShareLinks) {
  const RunReport report = Run();
  const auto value = [&](const char* name) {
    return ValueOf(report.metrics, name).value_or(-1);
  };
  EXPECT_EQ(value("makespan_s"), 175);
  EXPECT_EQ(value("mean_runtime_s"), 125);
  EXPECT_EQ(value("stretch"), 1.25);
  EXPECT_EQ(value("stretch_max"), 1.25);
  EXPECT_EQ(value("stretched_jobs"), 2);
  EXPECT_EQ(value("mean_bounded_slowdown"), 1);
  // Both jobs are two hops wide, however they are weighted.
  EXPECT_DOUBLE_EQ(value("pairwise_mean_tw"), 2);
  EXPECT_DOUBLE_EQ(value("utilization"), 2 * 2 * 125 / (4 * 175.0));
  // Each job sends 50 GB over two links each way; there are six.
  EXPECT_NEAR(value("mean_link_use"), 8 * 50 / (6 * 175.0), 1e-9);
  EXPECT_NEAR(value("busiest_link_use"), 100 / 175.0, 1e-9);
  ASSERT_EQ(report.links.size(), 6U);
  for (const LinkReport& link : report.links) {
    EXPECT_NEAR(link.sent_gb, link.from + link.to == 3 ? 100 : 50, 1e-6);
  }
}

TEST_F(ContentionTest, WithoutCommunicationRunsAreAsLogged) {
  setup_.runtime.communication_share = 0;
  const RunReport report = Run();
  EXPECT_EQ(ValueOf(report.metrics, "mean_runtime_s"), 100);
  EXPECT_EQ(ValueOf(report.metrics, "stretched_jobs"), 0);
}

TEST_F(ContentionTest, DecisionsHaveTheEndsInTheOrderOfStarts) {
  workload_.jobs = {Job(0, 100, 2), Job(50, 20, 2)};
  const ScratchFile decisions;
  setup_.decisions_path = decisions.path();
  Run();
  const std::string text = decisions.Read();
  // The second job runs for 30 s beside the first, which loses 10 s.
  const std::size_t first = text.find("first-fit,0,0,0,110,2,");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_GT(text.find("first-fit,0,50,50,80,2,"), first) << text;
}

TEST_F(ContentionTest, SeriesHaveTheUseOfLinks) {
  setup_.recording = {.series = true, .shape = true};
  const RunReport report = Run();
  ASSERT_FALSE(report.series.samples.empty());
  const SeriesSample& first = report.series.samples.front();
  ASSERT_TRUE(first.network.has_value());
  EXPECT_NEAR(first.network->mean, 4 / 6.0, 1e-9);
  EXPECT_NEAR(first.network->max, 1, 1e-9);
  EXPECT_EQ(first.network->full_links, 4U);
  const ScratchFile csv;
  auto file = ReplacedFile::Create(csv.path());
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(WriteSeries(*setup_.machine, {report}, **file).ok());
  EXPECT_THAT(csv.Read(),
              HasSubstr(",link_use_mean,link_use_max,full_links\n"));
}

TEST_F(ContentionTest, CheckpointsKeepTheLinks) {
  const std::string path = ScratchFile().path();
  const auto links_with_checkpoint = [&] {
    setup_.checkpoint = nullptr;  // closes it
    setup_.checkpoint = Checkpoint::Open(path, "one").value();
    return Run().links;
  };
  const std::vector<LinkReport> measured = links_with_checkpoint();
  const std::vector<LinkReport> kept = links_with_checkpoint();
  std::filesystem::remove(path);
  ASSERT_EQ(kept.size(), 6U);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].from, measured[i].from);
    EXPECT_EQ(kept[i].to, measured[i].to);
    EXPECT_EQ(kept[i].sent_gb, measured[i].sent_gb);
    EXPECT_EQ(kept[i].use, measured[i].use);
  }
}

TEST_F(ContentionTest, PatternsAreThoseOfTheJobs) {
  // A ring of two sends one way and back, as all-to-all of two.
  setup_.pattern = std::make_shared<const PatternChoice>(
      PatternChoice::Read("ring").value());
  EXPECT_EQ(ValueOf(Run().metrics, "mean_runtime_s"), 125);
}

// The job has sent half of its traffic when its node fails, and starts anew.
TEST_F(ContentionTest, JobsOnFailedNodesHaveSentAPart) {
  workload_.jobs = {Job(0, 100, 2)};
  setup_.node_events = {
      {.at_ms = 50'000, .state = NodeEvent::State::kDown, .nodes = {0, 1, 3}},
      {.at_ms = 60'000,
       .state = NodeEvent::State::kResume,
       .nodes = {0, 1, 3}}};
  const RunReport report = Run();
  EXPECT_EQ(ValueOf(report.metrics, "makespan_s"), 160);
  EXPECT_EQ(ValueOf(report.metrics, "mean_runtime_s"), 100);
  EXPECT_EQ(ValueOf(report.metrics, "stretch"), 1);
  EXPECT_EQ(ValueOf(report.metrics, "mean_bounded_slowdown"), 1.6);
  EXPECT_EQ(ValueOf(report.metrics, "wait_s_max"), 60);
  EXPECT_NEAR(*ValueOf(report.metrics, "busiest_link_use"), 75 / 160.0, 1e-9);
}

// The first job is not measured, nor what it sends in the warm-up.
TEST_F(ContentionTest, TheWarmUpIsNotMeasured) {
  setup_.warm_up_ms = 25'000;
  const RunReport report = Run();
  EXPECT_EQ(report.jobs, 1U);
  EXPECT_EQ(ValueOf(report.metrics, "mean_runtime_s"), 125);
  EXPECT_EQ(ValueOf(report.metrics, "stretched_jobs"), 1);
  // 100 of 125 s of the first job, and all of the second.
  EXPECT_NEAR(*ValueOf(report.metrics, "busiest_link_use"), 90 / 150.0, 1e-9);
}

TEST_F(ContentionTest, OtherNetworksAndRatesAreRefused) {
  const auto message = [](const RuntimeOptions& options,
                          const Machine& machine) {
    return std::string(
        RunTimes::Create(options, machine.topology()).status().message());
  };
  EXPECT_THAT(message({.model = "contention"}, *GraphMachine()),
              HasSubstr("--runtime-model: contention: the routes of topology "
                        "graph are not known (expected mesh, torus, fat-tree"));
  RuntimeOptions options = {.model = "contention"};
  options.network.link_gb_per_s = 0;
  EXPECT_THAT(message(options, *setup_.machine),
              HasSubstr("--link-gb-per-s: 0 is out of range (expected 1e-06 to "
                        "1000000"));
  options.network = {.send_gb_per_s = std::nan("")};
  EXPECT_THAT(message(options, *setup_.machine),
              HasSubstr("--send-gb-per-s: nan"));
  options.network = {.routes = {.oversubscription = 0.5}};
  EXPECT_THAT(message(options, *setup_.machine),
              HasSubstr("--oversubscription: 0.5 is out of range (expected 1"));
}

}  // namespace
}  // namespace coolspan
