// SPDX-License-Identifier: GPL-3.0-or-later
// A replay on a running daemon makes the same decisions as in process, byte for
// byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>

#include "config/machine/machine_file.h"
#include "integration/running_daemon.h"
#include "mesh_machine.h"
#include "policy/table.h"
#include "replay/ports/in_process_port.h"
#include "replay/ports/session_port.h"
#include "replay/replay.h"
#include "room_machine.h"
#include "scratch_file.h"
#include "topology/mesh.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// The machine of RunningDaemon, without the room.
std::shared_ptr<const Machine> Sixteen(const std::string& prefix = "n",
                                       std::vector<std::uint32_t> dims = {4,
                                                                          4}) {
  std::vector<std::string> names;
  for (int i = 1; i <= 16; ++i) {
    names.push_back(prefix + (i < 10 ? "0" : "") + std::to_string(i));
  }
  return Machine::Create("sixteen", std::move(names),
                         MakeMesh(FlatGrid(std::move(dims))).value())
      .value();
}

// Has a queue most of the time, and jobs with run time 0.
Workload BusyWorkload() {
  std::mt19937_64 random(3);
  Workload workload;
  TimeMs now_s = 0;
  for (std::int64_t i = 0; i < 600; ++i) {
    now_s += static_cast<TimeMs>(random() % 8);
    const auto run_s = static_cast<TimeMs>(random() % 20);
    workload.jobs.push_back(
        Job(now_s, run_s, 1 + static_cast<NodeCount>(random() % 9)));
    workload.jobs.back().number = i;
  }
  return workload;
}

class ReplayOverDaemonTest : public testing::Test {
 protected:
  ReplayOverDaemonTest() {
    setup_.machine = Sixteen();
    setup_.decisions_path = decisions_.path();
    lists_.seeds = {11};
    for (const PolicyEntry& entry : PolicyTable()) {
      if (!entry.uses_room) lists_.policies.emplace_back(entry.name);
    }
  }
  const ReplaySetup& SetupOfRuns() {
    setup_.runs = EveryRun(lists_);
    return setup_;
  }
  absl::StatusOr<std::string> Decisions(PortMaker open_port) {
    setup_.open_port = std::move(open_port);
    std::atomic<std::uint64_t> started = 0;
    const auto reports = Replay(SetupOfRuns(), OneWorkload(workload_), started);
    if (!reports.ok()) return reports.status();
    return decisions_.Read();
  }
  PortMaker OnDaemon(SpanKind span) {
    return SessionPorts(daemon_.endpoint(), setup_.machine, span);
  }

  // Block-diagonal D: the nodes of each row of four heat each other, those with
  // higher ids more. The jobs draw up to 5 kW.
  static std::string HeatRows() {
    std::string rows;
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 16; ++j) {
        rows += i / 4 == j / 4 ? std::to_string(0.0001 * (1 + j)) : "0.0";
        rows += j == 15 ? "\n" : " ";
      }
    }
    return rows;
  }
  const ScratchFile heat_{HeatRows()};
  const std::string thermal_ =
      "thermal: {heat_distribution: " + heat_.path() +
      ", airflow_w_per_k: 293, supply_c: 15, redline_c: 30}\n";
  RunningDaemon daemon_{{.thermal = thermal_}};
  const ScratchFile decisions_;
  const Workload workload_ = BusyWorkload();
  ReplaySetup setup_;
  RunLists lists_;
};

TEST_F(ReplayOverDaemonTest, DecisionsAreTheSameAsInProcess) {
  std::string names;
  for (NodeId node = 16; node > 0; --node) {
    names += setup_.machine->NodeName(node - 1) + "\n";
  }
  const ScratchFile backwards(names);
  for (const std::string& ordering :
       {std::string("hilbert"), std::string("row-major"),
        "file:" + backwards.path()}) {
    lists_.orderings = {MakeOrdering(*setup_.machine, ordering).value()};
    for (const SpanKind span : {SpanKind::kRing, SpanKind::kLinear}) {
      const auto here = Decisions(
          InProcessPorts(setup_.machine, {.ordering = nullptr, .span = span}));
      ASSERT_TRUE(here.ok()) << here.status();
      const auto there = Decisions(OnDaemon(span));
      ASSERT_TRUE(there.ok()) << there.status();
      EXPECT_GT(here->size(), lists_.policies.size() * workload_.jobs.size());
      EXPECT_TRUE(*here == *there) << ordering;
    }
  }
}

TEST_F(ReplayOverDaemonTest, SegmentsAreTheSameAsInProcess) {
  const ScratchFile conf(
      "BlockName=a Nodes=n[01-04]\nBlockName=b Nodes=n[05-08]\n"
      "BlockName=c Nodes=n[09-12]\nBlockName=d Nodes=n[13-16]\n");
  const ScratchFile file("name: x\ntopology: {kind: blocks, slurm_topology: " +
                         conf.path() + "}\n");
  const RunningDaemon daemon({.machine_file = file.path()});
  setup_.machine = LoadMachineFile(file.path(), nullptr).value();
  lists_.policies = {"slurm", "best-fit", "coolspan", "mm"};
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  Workload workload = workload_;
  for (WorkloadJob& job : workload.jobs) {
    job.segment_nodes = job.nodes % 2 == 0 ? 2 : 1;
  }
  const auto decisions = [&](PortMaker open_port, const Workload& jobs) {
    setup_.open_port = std::move(open_port);
    std::atomic<std::uint64_t> started = 0;
    EXPECT_TRUE(Replay(SetupOfRuns(), OneWorkload(jobs), started).ok());
    return decisions_.Read();
  };
  const PortMaker in_process = InProcessPorts(
      setup_.machine, {.ordering = nullptr, .span = SpanKind::kOfOrdering});
  const std::string here = decisions(in_process, workload);
  EXPECT_TRUE(here != decisions(in_process, workload_)) << "without segments";
  EXPECT_TRUE(here == decisions(SessionPorts(daemon.endpoint(), setup_.machine,
                                             SpanKind::kOfOrdering),
                                workload));
}

TEST_F(ReplayOverDaemonTest, NodeEventsAreTheSameAsInProcess) {
  lists_.policies = {"best-fit", "mc1x1"};
  lists_.orderings = {MakeOrdering(*setup_.machine, "hilbert").value()};
  for (TimeMs time_ms = 0; time_ms < 2'000'000; time_ms += 40'000) {
    const auto node = static_cast<NodeId>(time_ms / 40'000 % 16);
    setup_.node_events.push_back({time_ms, NodeEvent::State::kDown, {node}});
    setup_.node_events.push_back(
        {time_ms + 30'000, NodeEvent::State::kResume, {node}});
  }
  const auto here = Decisions(InProcessPorts(
      setup_.machine, {.ordering = nullptr, .span = SpanKind::kOfOrdering}));
  ASSERT_TRUE(here.ok()) << here.status();
  const auto there = Decisions(OnDaemon(SpanKind::kOfOrdering));
  ASSERT_TRUE(there.ok()) << there.status();
  EXPECT_GT(std::count(here->begin(), here->end(), '\n'),
            1 + std::ptrdiff_t{2} * 600);  // failed jobs have several starts
  EXPECT_TRUE(*here == *there);
}

TEST_F(ReplayOverDaemonTest, RoomsAndRunTimesAreTheSameAsInProcess) {
  const std::string text =
      "name: sixteen\ntopology: {kind: mesh, dims: [4, 4]}\n"
      "nodes: \"n[01-16]\"\nnode_types:\n  - {name: std, nodes: "
      "\"n[01-16]\", idle_w: 100, compute_w: 300, communicate_w: 250}\n" +
      thermal_;
  for (const bool idle_on : {true, false}) {
    const auto machine = ParseMachineFile(text, "sixteen.yaml");
    ASSERT_TRUE(machine.ok()) << machine.status();
    Room::Description room = (*machine)->room()->description();
    room.idle_on = idle_on;
    setup_.machine = InRoom(**machine, room);
    lists_.orderings = {MakeOrdering(*setup_.machine, "hilbert").value()};
    setup_.runtime = {.model = "bqp", .communication_share = 0.4F};
    const auto here = Decisions(InProcessPorts(setup_.machine, {}));
    ASSERT_TRUE(here.ok()) << here.status();
    const auto there = Decisions(OnDaemon(SpanKind::kOfOrdering));
    ASSERT_TRUE(there.ok()) << there.status();
    EXPECT_THAT(*here, HasSubstr("hostlist,peak_inlet_c,it_w,cooling_w,"));
    EXPECT_TRUE(*here == *there) << idle_on;
  }
}

// The daemon gets the nodes to which a job moves without an Allocate.
TEST_F(ReplayOverDaemonTest, MigrationsAreTheSameAsInProcess) {
  const std::string text =
      "name: sixteen\ntopology: {kind: mesh, dims: [4, 4]}\n"
      "nodes: \"n[01-16]\"\nnode_types:\n  - {name: std, nodes: "
      "\"n[01-16]\", idle_w: 100, compute_w: 300, communicate_w: 250}\n" +
      thermal_;
  setup_.machine = ParseMachineFile(text, "sixteen.yaml").value();
  lists_.policies = {"lrh"};
  lists_.orderings = {MakeOrdering(*setup_.machine, "hilbert").value()};
  lists_.schedulers = {
      SchedulerChoice::Create("scint:slot=2:evaluations=9000:migrations=3:"
                              "migration-time=0")
          .value()};
  Workload workload = workload_;
  workload.jobs.resize(60);
  const auto run = [&](PortMaker open_port) {
    setup_.open_port = std::move(open_port);
    std::atomic<std::uint64_t> started = 0;
    const auto reports = Replay(SetupOfRuns(), OneWorkload(workload), started);
    EXPECT_TRUE(reports.ok()) << reports.status();
    std::string result = decisions_.Read();
    if (!reports.ok()) return result;
    for (const NamedValue& metric : reports->front().metrics) {
      if (metric.name == "migrations") {
        EXPECT_GT(metric.value.value_or(0), 0);
      }
      if (metric.name == "migrated_nodes" || metric.name == "total_energy_j") {
        result += std::to_string(metric.value.value_or(-1)) + "\n";
      }
    }
    return result;
  };
  const std::string here = run(InProcessPorts(setup_.machine, {}));
  EXPECT_EQ(here, run(OnDaemon(SpanKind::kOfOrdering)));
}

TEST_F(ReplayOverDaemonTest, DifferentRoomIsRefused) {
  Room::Description room = RoomDescription(16, 4, RandomHeat(4, 0.001, 1));
  setup_.machine = InRoom(*setup_.machine, room);
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  EXPECT_THAT(
      std::string(Decisions(OnDaemon(SpanKind::kRing)).status().message()),
      HasSubstr("machine sixteen has another thermal section"));
}

TEST_F(ReplayOverDaemonTest, PreviewsAreTheSameAsInProcess) {
  std::string names;
  for (NodeId node = 16; node > 0; --node) {
    names += setup_.machine->NodeName(node - 1) + "\n";
  }
  const ScratchFile backwards(names);
  lists_.orderings = {
      MakeOrdering(*setup_.machine, "file:" + backwards.path()).value()};
  setup_.previewed = lists_.policies;
  lists_.policies = {"best-fit", "random"};
  const auto matrix = [this](PortMaker open_port) {
    setup_.open_port = std::move(open_port);
    std::atomic<std::uint64_t> started = 0;
    std::string text;
    const auto runs =
        Replay(SetupOfRuns(), OneWorkload(workload_), started).value();
    for (const RunReport& run : runs) {
      for (const PreviewReport& preview : run.previews) {
        text += run.run.policy + " " + preview.policy;
        for (const NamedValue& metric : preview.metrics) {
          if (metric.name.find("decision_us") == 0 ||
              metric.name == "replay_jobs_per_s") {
            continue;
          }
          text += " " + std::to_string(metric.value.value_or(-1));
        }
        text += "\n";
      }
    }
    return text;
  };
  const std::string here = matrix(InProcessPorts(
      setup_.machine, {.ordering = nullptr, .span = SpanKind::kLinear}));
  EXPECT_EQ(matrix(OnDaemon(SpanKind::kLinear)), here);
  EXPECT_EQ(std::count(here.begin(), here.end(), '\n'),
            2 * static_cast<int>(setup_.previewed.size()));
}

TEST_F(ReplayOverDaemonTest, MachineWithOtherNodesIsRefused) {
  setup_.machine = Sixteen("other");
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  const auto decisions = Decisions(OnDaemon(SpanKind::kRing));
  EXPECT_THAT(std::string(decisions.status().message()),
              HasSubstr("machine sixteen has other nodes or distances"));
}

TEST_F(ReplayOverDaemonTest, MachineWithOtherCoordinatesIsRefused) {
  setup_.machine = Sixteen("n", {8, 2});
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  const auto decisions = Decisions(OnDaemon(SpanKind::kRing));
  EXPECT_TRUE(absl::IsInvalidArgument(decisions.status()))
      << decisions.status();
}

TEST_F(ReplayOverDaemonTest, UnknownPolicyIsRefusedByTheDaemon) {
  lists_.policies = {"no-such-policy"};
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  const auto decisions = Decisions(OnDaemon(SpanKind::kRing));
  EXPECT_TRUE(absl::IsInvalidArgument(decisions.status()));
  EXPECT_THAT(std::string(decisions.status().message()),
              HasSubstr("no-such-policy"));
}

}  // namespace
}  // namespace coolspan
