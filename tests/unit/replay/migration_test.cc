// SPDX-License-Identifier: GPL-3.0-or-later
// Running jobs that move: the simulated machine and what follows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/observers/room_meter.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "unit/replay/simulated_runs.h"
#include "unit/replay/two_speed_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

// Starts the jobs on the nodes that it is given and moves job 0 once.
class MovingScheduler final : public Scheduler {
 public:
  MovingScheduler(TimeMs at_ms, std::vector<NodeId> to,
                  Cluster::MigrationCost cost)
      : at_ms_(at_ms), to_(std::move(to)), cost_(cost) {}

  void Submit(JobIndex job) override { waiting_.push_back(job); }
  bool empty() const override { return waiting_.empty(); }
  JobIndex head() const override { return waiting_.front(); }
  std::optional<TimeMs> wake_ms() const override {
    return has_moved_ ? std::nullopt : std::optional(at_ms_);
  }
  absl::Status Schedule(Cluster& cluster) override {
    for (const JobIndex job : waiting_) {
      const absl::StatusOr<bool> started = cluster.Start(job);
      if (!started.ok()) return started.status();
    }
    waiting_.clear();
    if (has_moved_ || cluster.now_ms() < at_ms_) return absl::OkStatus();
    has_moved_ = true;
    NodeSet to(cluster.free_set().size());
    for (const NodeId node : to_) to.Insert(node);
    absl::Status moved = cluster.Migrate(0, to, cost_);
    held_.assign(cluster.NodesOf(0).begin(), cluster.NodesOf(0).end());
    free_ = cluster.free_set().Members();
    free_nodes_ = cluster.free_nodes();
    estimated_end_ms_ = cluster.running().begin()->estimated_end_ms;
    return moved;
  }

  std::vector<NodeId> held_;  // after the move
  std::vector<NodeId> free_;
  NodeCount free_nodes_ = 0;
  TimeMs estimated_end_ms_ = 0;

 private:
  const TimeMs at_ms_;
  const std::vector<NodeId> to_;
  const Cluster::MigrationCost cost_;
  bool has_moved_ = false;
  std::vector<JobIndex> waiting_;
};

// Records the keys with which nodes are committed and released.
class RecordingPort final : public AllocatorPort {
 public:
  explicit RecordingPort(NodeCount nodes) : port_(nodes) {}
  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override {
    return port_.Choose(ask, nodes);
  }
  absl::StatusOr<Answer> Preview(std::size_t previewed, const Ask& ask,
                                 std::vector<NodeId>& nodes) override {
    return port_.Preview(previewed, ask, nodes);
  }
  absl::Status Commit(JobKey job, TimeMs now_ms,
                      const std::vector<NodeId>& nodes,
                      std::optional<float> share) override {
    calls_.push_back({'c', job.restart, now_ms, nodes});
    return port_.Commit(job, now_ms, nodes, share);
  }
  absl::Status Release(JobKey job, TimeMs now_ms) override {
    calls_.push_back({'r', job.restart, now_ms, {}});
    return port_.Release(job, now_ms);
  }
  absl::Status Finish() override { return port_.Finish(); }

  struct Call {
    char kind;
    std::uint32_t restart;
    TimeMs now_ms;
    std::vector<NodeId> nodes;
    friend bool operator==(const Call&, const Call&) = default;
  };
  std::vector<Call> calls_;

 private:
  FirstOfferedPort port_;
};

class MigrationTest : public ::testing::Test {
 protected:
  void Run(MovingScheduler& scheduler, const std::vector<WorkloadJob>& jobs,
           std::vector<NodeEvent> events = {}) {
    Estimates estimates(jobs, {});
    Cluster cluster(
        {.jobs = jobs,
         .estimates = estimates,
         .machine_nodes = 10,
         .has_node_events = !events.empty(),
         .seed = 0,
         .room = machine_->room().get()},
        port_,
        [&](const Placement& placement) -> absl::StatusOr<JobRun> {
          return JobRun{.run_ms = AtSpeed(
                            jobs[placement.job].run_ms,
                            SlowestSpeed(*machine_->room(), placement.nodes)),
                        .communication_share = {}};
        },
        [&](const JobEnd& end) {
          ends_.push_back({end.now_ms, end.since_ms, end.start_ms});
          end_nodes_.push_back(end.nodes);
        },
        nullptr, nullptr,
        [&](const JobMove& move) {
          from_ = move.from;
          to_ = move.to;
          moved_nodes_ = move.moved_nodes;
          energy_j_ = move.energy_j;
        });
    const absl::Status run = RunEvents({.jobs = jobs, .nodes = events},
                                       estimates, scheduler, cluster);
    ASSERT_TRUE(run.ok()) << run;
  }

  // Nodes 0 to 3 are slow.
  const std::shared_ptr<const Machine> machine_ = TwoSpeedMachine(4, 6);
  RecordingPort port_{10};
  std::vector<std::tuple<TimeMs, TimeMs, TimeMs>> ends_;
  std::vector<std::vector<NodeId>> end_nodes_;
  std::vector<NodeId> from_;
  std::vector<NodeId> to_;
  NodeCount moved_nodes_ = 0;
  double energy_j_ = 0;
};

// 100 s of work: 20 s on slow nodes, a pause of 5 s, 40 s on fast ones.
TEST_F(MigrationTest, AJobGoesOnAtTheSpeedOfItsNewNodes) {
  MovingScheduler scheduler(20'000, {3, 4, 5},
                            {.pause_ms = 5'000, .j_per_node = 7});
  Run(scheduler, {Job(0, 100, 3)});
  // One slow node is left: still speed 1.
  EXPECT_THAT(ends_, ElementsAre(std::tuple(105'000, 20'000, 0)));
  MovingScheduler to_fast(20'000, {4, 5, 6},
                          {.pause_ms = 5'000, .j_per_node = 7});
  ends_.clear();
  Run(to_fast, {Job(0, 100, 3)});
  EXPECT_THAT(ends_, ElementsAre(std::tuple(65'000, 20'000, 0)));
  EXPECT_THAT(from_, ElementsAre(0, 1, 2));
  EXPECT_THAT(to_, ElementsAre(4, 5, 6));
  EXPECT_EQ(moved_nodes_, 3U);
  EXPECT_EQ(energy_j_, 21);
  EXPECT_EQ(to_fast.estimated_end_ms_, 65'000);
}

// A pause that has not ended is no work: 20 s, a pause of 2 s that the second
// move ends, one of 5 s, and 40 s on fast nodes.
TEST(EndAfterMoveTest, AMoveDuringAPauseStartsANewOne) {
  const TimeMs first =
      EndAfterMove(100'000, 0, 20'000, 5'000, /*speed=*/1, /*new_speed=*/1);
  EXPECT_EQ(first, 105'000);
  EXPECT_EQ(EndAfterMove(first, 25'000, 22'000, 5'000, 1, 2), 67'000);
  EXPECT_EQ(EndAfterMove(first, 25'000, 45'000, 5'000, 1, 2), 80'000);
}

TEST_F(MigrationTest, NodesThatAreLeftAreFree) {
  MovingScheduler scheduler(20'000, {2, 8, 9}, {});
  Run(scheduler, {Job(0, 100, 3), Job(1, 200, 2)});
  EXPECT_THAT(scheduler.held_, ElementsAre(2, 8, 9));
  EXPECT_THAT(scheduler.free_, ElementsAre(0, 1, 5, 6, 7));
  EXPECT_EQ(scheduler.free_nodes_, 5U);
  EXPECT_EQ(moved_nodes_, 2U);
  EXPECT_THAT(end_nodes_.front(), ElementsAre(2, 8, 9));
}

// To an allocator it is a restart: no node is in two jobs at any time.
TEST_F(MigrationTest, TheAllocatorSeesARestart) {
  MovingScheduler scheduler(20'000, {4, 5, 6}, {});
  Run(scheduler, {Job(0, 100, 3)});
  using Call = RecordingPort::Call;
  EXPECT_THAT(
      port_.calls_,
      ElementsAre(Call{'c', 0, 0, {0, 1, 2}}, Call{'r', 0, 20'000, {}},
                  Call{'c', 1, 20'000, {4, 5, 6}}, Call{'r', 1, 60'000, {}}));
}

TEST_F(MigrationTest, AMoveToTheSameNodesIsNone) {
  MovingScheduler scheduler(20'000, {0, 1, 2},
                            {.pause_ms = 5'000, .j_per_node = 7});
  Run(scheduler, {Job(0, 100, 3)});
  EXPECT_THAT(ends_, ElementsAre(std::tuple(100'000, 0, 0)));
  EXPECT_EQ(port_.calls_.size(), 2U);
}

// The node that fails is one that the job has moved to; one that it has left
// does not end it.
TEST_F(MigrationTest, FailedNodesEndTheJobThatHasMovedThere) {
  using State = NodeEvent::State;
  MovingScheduler scheduler(20'000, {4, 5, 6}, {});
  Run(scheduler, {Job(0, 100, 3)},
      {{.at_ms = 30'000, .state = State::kDown, .nodes = {0}},
       {.at_ms = 40'000, .state = State::kDown, .nodes = {4}}});
  ASSERT_EQ(ends_.size(), 2U);
  EXPECT_EQ(ends_[0], std::tuple(40'000, 20'000, 0));
  EXPECT_EQ(std::get<2>(ends_[1]), 40'000);
  EXPECT_EQ(port_.calls_.back().restart, 2U);
}

// A drained node that a job leaves is not free.
TEST_F(MigrationTest, DrainedNodesThatAreLeftStayUnavailable) {
  using State = NodeEvent::State;
  MovingScheduler scheduler(20'000, {4, 5, 6}, {});
  Run(scheduler, {Job(0, 100, 3)},
      {{.at_ms = 10'000, .state = State::kDrain, .nodes = {1}}});
  EXPECT_THAT(scheduler.free_, ElementsAre(0, 2, 3, 7, 8, 9));
  EXPECT_EQ(scheduler.free_nodes_, 6U);
}

TEST(RoomMeterMoveTest, PowerMovesWithTheJob) {
  const auto machine = TwoSpeedMachine(4, 6);
  RoomMeter moved(machine->room(), 0);
  RoomMeter there(machine->room(), 0);
  const std::vector<NodeId> from = {0, 1, 2};
  const std::vector<NodeId> to = {2, 8, 9};
  moved.Start(from, 0.25F, 0);
  there.Start(to, 0.25F, 0);
  EXPECT_NE(moved.Now().peak_inlet_c, there.Now().peak_inlet_c);
  moved.Move(from, to, 10'000);
  EXPECT_EQ(moved.Now().peak_inlet_c, there.Now().peak_inlet_c);
  EXPECT_EQ(moved.Now().it_w, there.Now().it_w);
  EXPECT_EQ(moved.totals().time_s, 10);
  moved.End(to, 20'000);
  const RoomMeter idle(machine->room(), 0);
  EXPECT_EQ(moved.Now().it_w, RoomMeter(idle).Now().it_w);
}

// A replay of scint with migrations; what its observers record agrees.
class MigratingReplayTest : public ::testing::Test {
 protected:
  MigratingReplayTest() {
    setup_.machine = TwoSpeedMachine(10, 14);
    setup_.recording.series = true;
    setup_.recording.pictured = {0};
    setup_.recording.map_at_ms = 60'000;
    setup_.min_energy_ms = 200'000;
    std::minstd_rand random(3);
    for (TimeMs i = 0; i < 14; ++i) {
      const TimeMs run_s = 20 + 2 * static_cast<TimeMs>(random() % 40);
      WorkloadJob job =
          Job(4 * i, run_s, static_cast<NodeCount>(1 + random() % 7));
      job.deadline_ms = job.submit_ms + 2'000 * run_s;
      job.number = i;
      jobs_.push_back(job);
    }
  }
  RunReport Run(const std::string& scheduler) {
    setup_.open_port = InProcessPorts(setup_.machine, {});
    setup_.runs = {
        {.policy = "first-fit",
         .ordering = MakeOrdering(*setup_.machine, "row-major").value(),
         .scheduler = SchedulerChoice::Create(scheduler).value()}};
    Workload workload;
    workload.jobs = jobs_;
    std::atomic<std::uint64_t> started = 0;
    return Replay(setup_, OneWorkload(std::move(workload)), started)
        .value()
        .front();
  }
  static std::map<std::string, double> Metrics(const RunReport& report) {
    std::map<std::string, double> values;
    for (const NamedValue& metric : report.metrics) {
      values[metric.name] = metric.value.value_or(-1);
    }
    return values;
  }

  const std::string spec_ =
      "scint:slot=2:evaluations=9000:migrations=2:migration-time=0.5:"
      "migration-power=20";
  ReplaySetup setup_;
  std::vector<WorkloadJob> jobs_;
};

TEST_F(MigratingReplayTest, TheEnergyIncludesThatOfMigrations) {
  const auto with = Metrics(Run(spec_));
  EXPECT_GT(with.at("migrations"), 0);
  EXPECT_GE(with.at("migrated_nodes"), with.at("migrations"));
  EXPECT_DOUBLE_EQ(with.at("migration_energy_j"),
                   10 * with.at("migrated_nodes"));
  EXPECT_DOUBLE_EQ(with.at("total_energy_j"),
                   with.at("it_energy_j") + with.at("cooling_energy_j") +
                       with.at("migration_energy_j"));
  const auto without = Metrics(Run("scint:slot=2:evaluations=9000"));
  EXPECT_FALSE(without.contains("migrations"));
  EXPECT_LT(with.at("total_energy_j"), without.at("total_energy_j"));
}

// In each second: the jobs of the picture heat the room and leave the free
// nodes of the series.
TEST_F(MigratingReplayTest, PictureSeriesAndRoomAgree) {
  const RunReport report = Run(spec_);
  const std::vector<SeriesSample>& samples = report.series.samples;
  const std::vector<RunPicture::Frame>& frames = report.picture->frames;
  ASSERT_EQ(report.series.interval_ms, report.picture->interval_ms);
  ASSERT_EQ(samples.size(), frames.size());
  ASSERT_GT(Metrics(report).at("migrations"), 0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<NodeId> used;
    NodeCount longest_free = 0;
    NodeId node = 0;
    for (const RunPicture::Frame::Stretch& stretch : frames[i].stretches) {
      for (NodeCount n = 0; n < stretch.nodes; ++n, ++node) {
        if (stretch.job != RunPicture::Frame::kFree) used.push_back(node);
      }
      if (stretch.job == RunPicture::Frame::kFree) {
        longest_free = std::max(longest_free, stretch.nodes);
      }
    }
    ASSERT_EQ(samples[i].used_nodes, used.size()) << i;
    ASSERT_EQ(samples[i].free.largest_interval, longest_free) << i;
    RoomMeter room(setup_.machine->room(), 0);
    room.Start(used, setup_.runtime.communication_share, 0);
    ASSERT_NEAR(samples[i].room->peak_inlet_c, room.Now().peak_inlet_c, 1e-9)
        << i;
  }
}

// Each piece of a run is a bar, and they are as long as the runs together.
TEST_F(MigratingReplayTest, PiecesAreBars) {
  const RunReport report = Run(spec_);
  const auto values = Metrics(report);
  ASSERT_GT(values.at("migrations"), 0);
  EXPECT_EQ(static_cast<double>(report.picture->bars.size()),
            static_cast<double>(jobs_.size()) + values.at("migrations"));
  EXPECT_DOUBLE_EQ(report.picture->bar_node_s, report.picture->total_node_s);
  EXPECT_NEAR(report.picture->total_node_s,
              values.at("utilization") * values.at("makespan_s") * 24, 1e-6);
  std::map<std::int64_t, double> run_s;
  for (const RunPicture::Bar& bar : report.picture->bars) {
    run_s[bar.job] += static_cast<double>(bar.end_ms - bar.start_ms) / 1000;
  }
  double mean_s = 0;
  for (const auto& [job, run] : run_s) {
    mean_s += run / static_cast<double>(run_s.size());
  }
  EXPECT_NEAR(values.at("mean_runtime_s"), mean_s, 1e-9);
}

// The map at an instant has the jobs of the picture there.
TEST_F(MigratingReplayTest, TheMapHasTheNodesAfterMoves) {
  for (TimeMs at_ms = 20'000; at_ms <= 140'000; at_ms += 10'000) {
    setup_.recording.map_at_ms = at_ms;
    const RunReport report = Run(spec_);
    ASSERT_GT(Metrics(report).at("migrations"), 0);
    const std::size_t frame =
        static_cast<std::size_t>(at_ms / report.picture->interval_ms);
    if (frame >= report.picture->frames.size()) break;
    std::map<std::int64_t, std::vector<NodeId>> expected;
    NodeId node = 0;
    for (const auto& stretch : report.picture->frames[frame].stretches) {
      for (NodeCount n = 0; n < stretch.nodes; ++n, ++node) {
        if (stretch.job != RunPicture::Frame::kFree) {
          expected[stretch.job].push_back(node);
        }
      }
    }
    std::map<std::int64_t, std::vector<NodeId>> mapped;
    for (const auto& job : report.map->jobs) mapped[job.number] = job.nodes;
    ASSERT_EQ(mapped, expected) << at_ms;
  }
}

}  // namespace
}  // namespace coolspan
