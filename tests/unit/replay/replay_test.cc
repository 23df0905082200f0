// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "replay/ports/in_process_port.h"
#include "room_machine.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

Workload RandomWorkload(std::size_t jobs) {
  std::mt19937_64 random(1);
  Workload workload;
  TimeMs now_s = 0;
  for (std::size_t i = 0; i < jobs; ++i) {
    now_s += static_cast<TimeMs>(random() % 10);
    workload.jobs.push_back(Job(now_s, 1 + static_cast<TimeMs>(random() % 60),
                                1 + static_cast<NodeCount>(random() % 20)));
    workload.jobs.back().number = static_cast<std::int64_t>(i);
  }
  return workload;
}

class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    setup_.machine = MeshMachine(FlatGrid({8, 8}));
    lists_.orderings = {MakeOrdering(*setup_.machine, "hilbert").value()};
    lists_.policies = {"first-fit", "best-fit", "random"};
    setup_.open_port = InProcessPorts(setup_.machine, {});
    setup_.decisions_path = decisions_.path();
  }
  const ReplaySetup& SetupOfRuns() {
    setup_.runs = EveryRun(lists_);
    return setup_;
  }
  absl::StatusOr<std::vector<RunReport>> RunSetup() {
    return Replay(SetupOfRuns(), OneWorkload(workload_), started_);
  }

  double CheckHoldings(const std::string& decisions);

  const ScratchFile decisions_;
  const Workload workload_ = RandomWorkload(500);
  ReplaySetup setup_;
  RunLists lists_;
  std::atomic<std::uint64_t> started_ = 0;
};

TEST_F(ReplayTest, PoliciesTogetherDecideAsOneByOne) {
  const auto together = RunSetup();
  ASSERT_TRUE(together.ok()) << together.status();
  EXPECT_EQ(started_, 1500U);
  const std::string decisions = decisions_.Read();
  std::string one_by_one;
  for (const std::string& policy : std::vector(lists_.policies)) {
    lists_.policies = {policy};
    ASSERT_TRUE(RunSetup().ok());
    std::string one = decisions_.Read();
    if (!one_by_one.empty()) one.erase(0, one.find('\n') + 1);
    one_by_one += one;
  }
  EXPECT_EQ(decisions, one_by_one);
  EXPECT_EQ(std::count(decisions.begin(), decisions.end(), '\n'), 1501);
}

TEST_F(ReplayTest, ReportsEachPolicyInOrder) {
  const auto reports = RunSetup();
  ASSERT_TRUE(reports.ok());
  ASSERT_EQ(reports->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*reports)[i].run.policy, lists_.policies[i]);
    EXPECT_EQ((*reports)[i].jobs, 500U);
    EXPECT_GT((*reports)[i].wall_s, 0);
    EXPECT_GT((*reports)[i].peak_rss_mb, 1);
  }
}

TEST_F(ReplayTest, SeedsDecideRandomPolicies) {
  lists_.policies = {"random"};
  const auto decisions = [this](std::uint64_t seed) {
    lists_.seeds = {seed};
    EXPECT_TRUE(RunSetup().ok());
    return decisions_.Read();
  };
  const std::string first = decisions(1);
  EXPECT_EQ(first, decisions(1));
  EXPECT_NE(first, decisions(2));
}

// Returns the sum of run times in seconds.
double ReplayTest::CheckHoldings(const std::string& decisions) {
  // From the file alone: never more nodes in use than the machine has, and no
  // node in two jobs at once.
  struct Held {
    double start, end;
    NodeSet nodes;
  };
  std::vector<Held> all;
  std::istringstream lines(decisions);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (int i = 0; i < 9; ++i) {
      std::getline(rest, fields.emplace_back(), ',');
    }
    std::string hostlist;
    std::getline(rest, hostlist);
    // Ordering, scheduler and seed follow.
    for (int i = 0; i < 3; ++i) hostlist.resize(hostlist.rfind(','));
    std::erase(hostlist, '"');
    const auto nodes = setup_.machine->ParseNodes(hostlist);
    EXPECT_TRUE(nodes.ok()) << nodes.status();
    EXPECT_EQ(nodes->Count(), std::stoul(fields[5]));
    all.push_back({std::stod(fields[3]), std::stod(fields[4]), *nodes});
  }
  EXPECT_EQ(all.size(), 500U);
  double run_s = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    run_s += all[i].end - all[i].start;
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].start < all[j].end && all[j].start < all[i].end) {
        EXPECT_FALSE(all[i].nodes.Intersects(all[j].nodes)) << i << " " << j;
      }
    }
  }
  return run_s;
}

TEST_F(ReplayTest, NodesAreHeldByOneJobAtATime) {
  lists_.policies = {"best-fit"};
  ASSERT_TRUE(RunSetup().ok());
  CheckHoldings(decisions_.Read());
}

// Estimates are not scaled, so most jobs overrun their estimate.
TEST_F(ReplayTest, JobsThatRunLongerHoldTheirNodesLonger) {
  lists_.policies = {"random"};
  ASSERT_TRUE(RunSetup().ok());
  const double logged_s = CheckHoldings(decisions_.Read());
  for (const std::string model : {"bqp", "sst"}) {
    setup_.runtime = {.model = model};
    const auto reports = RunSetup();
    ASSERT_TRUE(reports.ok()) << reports.status();
    const double run_s = CheckHoldings(decisions_.Read());
    EXPECT_GT(run_s, 1.05 * logged_s) << model;
    for (const NamedValue& metric : reports->front().metrics) {
      if (metric.name != "mean_runtime_s") continue;
      EXPECT_NEAR(metric.value.value(), run_s / 500, 1e-6);
    }
  }
}

TEST_F(ReplayTest, BadRuntimeModelsAreFoundBeforeAnythingIsWritten) {
  setup_.runtime = {.model = "sst", .noise = 1};
  EXPECT_TRUE(absl::IsInvalidArgument(RunSetup().status()));
  EXPECT_EQ(decisions_.Read(), "");
}

TEST_F(ReplayTest, AJobEndThatOverflowsEndsTheRun) {
  Workload endless;
  endless.jobs = {Job(0, 1, 1), Job(10, 4'600'000'000'000'000, 64)};
  lists_.policies = {"random"};
  setup_.runtime = {.model = "sst",
                    .communication_share = 1,
                    .comm_cost = CommCost::kOrdered};
  const auto reports = Replay(SetupOfRuns(), OneWorkload(endless), started_);
  EXPECT_TRUE(absl::IsInvalidArgument(reports.status())) << reports.status();
  EXPECT_THAT(std::string(reports.status().message()),
              HasSubstr("would end after"));
}

// Previews measure cooling and leave the room unchanged.
TEST_F(ReplayTest, PreviewsSeeTheRoomAndLeaveIt) {
  Room::Description room = RoomDescription(64, 16, RandomHeat(16, 1e-4, 2));
  setup_.machine = InRoom(*setup_.machine, room);
  setup_.open_port = InProcessPorts(setup_.machine, {});
  lists_.policies = {"best-fit"};
  setup_.runtime = {.model = "bqp"};
  const auto value = [](const std::vector<NamedValue>& metrics,
                        const std::string& name) {
    for (const NamedValue& metric : metrics) {
      if (metric.name == name) return metric.value.value();
    }
    ADD_FAILURE() << name;
    return 0.0;
  };
  const auto alone = RunSetup().value();
  setup_.previewed = {"best-fit", "random"};
  const auto previewed = RunSetup().value();
  for (const std::string name :
       {"it_energy_j", "cooling_energy_j", "cooling_w", "mean_runtime_s"}) {
    EXPECT_EQ(value(alone[0].metrics, name), value(previewed[0].metrics, name));
  }
  for (const std::string name : {"peak_inlet_c", "it_w", "cooling_w"}) {
    EXPECT_EQ(value(previewed[0].metrics, name),
              value(previewed[0].previews[0].metrics, name));
    EXPECT_NE(value(previewed[0].metrics, name),
              value(previewed[0].previews[1].metrics, name));
  }
}

// Jobs of four nodes on four nodes, one after the other.
class WarmUpTest : public testing::Test {
 protected:
  RunReport Report(TimeMs warm_up_s, const std::string& scheduler = "fcfs") {
    setup_.warm_up_ms = warm_up_s * 1000;
    setup_.runs = EveryRun(
        {.policies = {"first-fit"},
         .orderings = {MakeOrdering(*setup_.machine, "row-major").value()},
         .schedulers = {SchedulerChoice::Create(scheduler).value()}});
    std::atomic<std::uint64_t> started = 0;
    auto reports = Replay(setup_, OneWorkload(workload_), started);
    EXPECT_TRUE(reports.ok()) << reports.status();
    EXPECT_EQ(started, workload_.jobs.size());
    return reports->front();
  }

  ReplaySetup setup_ = [] {
    ReplaySetup setup;
    setup.machine = InSomeRoom(MeshMachine(FlatGrid({8, 4})), 8, 3);
    setup.open_port = InProcessPorts(setup.machine, {});
    return setup;
  }();
  Workload workload_;
};

TEST_F(WarmUpTest, OnlyJobsAfterTheWarmUpAreMeasured) {
  const NodeCount all = setup_.machine->node_count();
  for (const TimeMs submit_s : {0, 10, 20, 30}) {
    workload_.jobs.push_back(Job(submit_s, 25, all));
  }
  setup_.previewed = {"random"};
  const RunReport whole = Report(0);
  EXPECT_EQ(whole.jobs, 4U);
  EXPECT_EQ(ValueOf(whole.metrics, "mean_wait_s"), (0 + 15 + 30 + 45) / 4.0);
  EXPECT_EQ(ValueOf(whole.metrics, "makespan_s"), 100);
  const RunReport later = Report(15);
  EXPECT_EQ(later.jobs, 2U);
  EXPECT_EQ(later.previews[0].jobs, 2U);
  EXPECT_EQ(ValueOf(later.metrics, "mean_wait_s"), (30 + 45) / 2.0);
  EXPECT_EQ(ValueOf(later.metrics, "wait_s_p50"), 30);
  EXPECT_EQ(ValueOf(later.metrics, "makespan_s"), 85);
  EXPECT_EQ(ValueOf(later.metrics, "utilization"), 1);
  EXPECT_EQ(ValueOf(later.previews[0].metrics, "makespan_s"), 85);
  // The machine is full all the time, so power is constant.
  EXPECT_NEAR(*ValueOf(later.metrics, "it_energy_j"),
              *ValueOf(whole.metrics, "it_energy_j") * 0.85, 1);
}

TEST_F(WarmUpTest, EnergiesAddUp) {
  workload_ = RandomWorkload(60);
  const RunReport report = Report(0);
  const auto value = [&report](const std::string& name) {
    return *ValueOf(report.metrics, name);
  };
  EXPECT_GT(value("it_energy_j"), 0);
  EXPECT_GT(value("cooling_energy_j"), 0);
  EXPECT_DOUBLE_EQ(value("total_energy_j"),
                   value("it_energy_j") + value("cooling_energy_j"));
  EXPECT_DOUBLE_EQ(value("mean_cooling_w"),
                   value("cooling_energy_j") / value("makespan_s"));
}

TEST_F(WarmUpTest, DeadlinesAreMissedByJobsThatEndLater) {
  const NodeCount all = setup_.machine->node_count();
  for (const auto& [submit_s, deadline_s] :
       {std::pair(0, 25), std::pair(1, 200), std::pair(2, 50)}) {
    workload_.jobs.push_back(Job(submit_s, 25, all));
    workload_.jobs.back().deadline_ms = deadline_s * 1000;
  }
  workload_.jobs.push_back(Job(3, 25, all));
  EXPECT_EQ(ValueOf(Report(0).metrics, "deadlines_missed"), 1);
  EXPECT_EQ(ValueOf(Report(0, "edf").metrics, "deadlines_missed"), 0);
  EXPECT_EQ(ValueOf(Report(2).metrics, "deadlines_missed"), 1);
  EXPECT_EQ(ValueOf(Report(3).metrics, "deadlines_missed"), std::nullopt);
}

TEST_F(ReplayTest, AnUnknownPolicyIsFoundBeforeAnythingIsWritten) {
  lists_.policies = {"first-fit", "bestfit"};
  const auto reports = RunSetup();
  EXPECT_TRUE(absl::IsInvalidArgument(reports.status()));
  EXPECT_THAT(std::string(reports.status().message()), HasSubstr("bestfit"));
  EXPECT_EQ(decisions_.Read(), "");
}

TEST_F(ReplayTest, PreviewsChangeNothing) {
  ASSERT_TRUE(RunSetup().ok());
  const std::string alone = decisions_.Read();
  setup_.previewed = {"random", "free-list"};
  started_ = 0;
  ASSERT_TRUE(RunSetup().ok());
  EXPECT_EQ(decisions_.Read(), alone);
  EXPECT_EQ(started_, 1500U) << "jobs, not questions";
}

TEST_F(ReplayTest, APolicyPreviewedInItsOwnSituationDecidesAsItDid) {
  setup_.previewed = lists_.policies;
  const auto reports = RunSetup();
  ASSERT_TRUE(reports.ok()) << reports.status();
  for (std::size_t i = 0; i < reports->size(); ++i) {
    const RunReport& report = (*reports)[i];
    ASSERT_EQ(report.previews.size(), 3U);
    for (std::size_t j = 0; j < 3; ++j) {
      const PreviewReport& preview = report.previews[j];
      EXPECT_EQ(preview.policy, lists_.policies[j]);
      EXPECT_EQ(preview.jobs, 500U);
      for (const std::string metric :
           {"pairwise_total", "ring_span", "pairwise_total_sumsq"}) {
        const auto made = ValueOf(report.metrics, metric);
        const auto previewed = ValueOf(preview.metrics, metric);
        if (i == j) {
          EXPECT_EQ(previewed, made) << report.run.policy << " " << metric;
        } else if (report.run.policy == "random" ||
                   preview.policy == "random") {
          EXPECT_NE(previewed, made)
              << report.run.policy << " " << preview.policy;
        }
      }
      EXPECT_EQ(ValueOf(preview.metrics, "mean_wait_s"),
                ValueOf(report.metrics, "mean_wait_s"));
    }
  }
}

// Two jobs on a line of eight nodes: after the first job, one situation has n3
// to n8 free and the other what random left.
TEST_F(ReplayTest, PreviewsSeeTheNodesThatTheSituationLeaves) {
  setup_.machine = MeshMachine(FlatGrid({8}));
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  setup_.open_port = InProcessPorts(setup_.machine, {});
  lists_.policies = {"free-list"};
  setup_.previewed = {"free-list"};
  Workload workload;
  workload.jobs = {Job(0, 9, 2), Job(0, 50, 3), Job(10, 50, 3)};
  const auto reports = Replay(SetupOfRuns(), OneWorkload(workload), started_);
  ASSERT_TRUE(reports.ok()) << reports.status();
  // {0, 1} and {2, 3, 4}; then, as the first has ended, {0, 1, 5}.
  EXPECT_DOUBLE_EQ(
      *ValueOf(reports->front().previews.front().metrics, "pairwise_total"),
      (1 + 4 + 10) / 3.0);
}

TEST_F(ReplayTest, AnUnknownPreviewedPolicyIsFoundBeforeAnythingIsWritten) {
  setup_.previewed = {"first-fit", "bestfit"};
  const auto reports = RunSetup();
  EXPECT_TRUE(absl::IsInvalidArgument(reports.status()));
  EXPECT_THAT(std::string(reports.status().message()), HasSubstr("bestfit"));
  EXPECT_EQ(decisions_.Read(), "");
}

// Fails all previews, or places every second one only.
class HesitantPort final : public AllocatorPort {
 public:
  explicit HesitantPort(bool fails) : fails_(fails) {}
  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override {
    return port_.Choose(ask, nodes);
  }
  absl::StatusOr<Answer> Preview(std::size_t, const Ask& ask,
                                 std::vector<NodeId>& nodes) override {
    if (fails_) return absl::UnavailableError("gone");
    nodes.assign(ask.nodes, 0);
    return Answer{.placed = ask.job.job_id % 2 == 0};
  }
  absl::Status Commit(JobKey job, TimeMs now_ms,
                      const std::vector<NodeId>& nodes,
                      std::optional<float> communication_share) override {
    return port_.Commit(job, now_ms, nodes, communication_share);
  }
  absl::Status Release(JobKey job, TimeMs now_ms) override {
    return port_.Release(job, now_ms);
  }
  absl::Status Finish() override { return port_.Finish(); }

 private:
  CountingPort port_;
  bool fails_;
};

TEST_F(ReplayTest, MeansOmitPreviewsThatPlaceNothing) {
  lists_.policies = {"any"};
  setup_.previewed = {"hesitant"};
  setup_.open_port = [](const RunSpec&, const std::vector<std::string>&) {
    return std::make_unique<HesitantPort>(/*fails=*/false);
  };
  const auto reports = RunSetup();
  ASSERT_TRUE(reports.ok()) << reports.status();
  EXPECT_EQ(reports->front().jobs, 500U);
  EXPECT_EQ(reports->front().previews.front().jobs, 250U);
}

TEST_F(ReplayTest, AFailedPreviewEndsTheReplay) {
  lists_.policies = {"any"};
  setup_.previewed = {"hesitant"};
  setup_.open_port = [](const RunSpec&, const std::vector<std::string>&) {
    return std::make_unique<HesitantPort>(/*fails=*/true);
  };
  const absl::Status status = RunSetup().status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(std::string(status.message()),
            "any: decision policy hesitant: gone");
}

TEST_F(ReplayTest, AFileThatCannotBeWrittenIsAnError) {
  setup_.decisions_path = "/dev/full";
  EXPECT_THAT(std::string(RunSetup().status().message()),
              HasSubstr("/dev/full: cannot be written"));
}

// Of a ring, in-order is optimal on neighbouring nodes; a file of six ranks is
// the pattern of jobs of 1, 2, 3 and 6 nodes.
TEST_F(ReplayTest, APatternWeighsTheCommunicationCost) {
  const auto metric = [this](const std::string& pattern,
                             const std::string& name) {
    setup_.pattern = std::make_shared<const PatternChoice>(
        PatternChoice::Read(pattern).value());
    setup_.open_port = InProcessPorts(setup_.machine, {}, setup_.pattern);
    const auto reports = RunSetup();
    return ValueOf(reports.value().front().metrics, name).value();
  };
  lists_.policies = {"first-fit"};
  EXPECT_EQ(metric("ring", "pattern_jobs"), 500);
  EXPECT_GE(metric("ring", "mapping_gain_percent"), 0);
  const double all_to_all = metric("all-to-all", "comm_cost");
  EXPECT_LT(metric("ring", "comm_cost"), all_to_all);
  setup_.pattern = nullptr;
  const auto plain = RunSetup();
  EXPECT_DOUBLE_EQ(ValueOf(plain.value().front().metrics, "comm_cost").value(),
                   all_to_all);
  const ScratchFile six("ranks 6\n0 5 100\n1 4 100\n");
  const double suited = metric(six.path(), "pattern_jobs");
  EXPECT_GT(suited, 0);
  EXPECT_EQ(suited + metric(six.path(), "pattern_jobs_unsuited"), 500);
}

}  // namespace
}  // namespace coolspan
