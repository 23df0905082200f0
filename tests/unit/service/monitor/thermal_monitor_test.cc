// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/thermal_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "coolspan/v1/telemetry.grpc.pb.h"
#include "room_machine.h"
#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// Plays the sensors of n[1-8]; one of them may lie.
class Exporter {
 public:
  Exporter() {
    server_.Get("/metrics", [this](const httplib::Request& /*request*/,
                                   httplib::Response& response) {
      std::ostringstream page;
      for (int node = 1; node <= 8; ++node) {
        page << "ipmi_temperature_celsius{name=\"Inlet Temp\",node=\"n" << node
             << "\"} " << (node == 3 ? lie_c_.load() : 16.0) << "\n";
      }
      response.set_content(page.str(), "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Exporter() {
    server_.stop();
    thread_.join();
  }
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/metrics";
  }
  void Lie(double inlet_c) { lie_c_ = inlet_c; }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<double> lie_c_ = 16.0;
};

// What sends readings to a daemon.
struct Agent {
  explicit Agent(const Daemon& daemon)
      : stub(v1::Telemetry::NewStub(grpc::CreateChannel(
            daemon.endpoints()[0], grpc::InsecureChannelCredentials()))),
        stream(stub->Report(&context, &reply)) {}

  grpc::ClientContext context;
  v1::ReportReply reply;
  std::unique_ptr<v1::Telemetry::Stub> stub;
  std::unique_ptr<grpc::ClientWriter<v1::Readings>> stream;
};

// Each of the eight warms itself by 0.01 K/W and has 100 W idle: 16 C; a job
// adds 170 W.
class ThermalMonitorTest : public ServingTest {
 protected:
  // first_heat: what the first node warms itself by, K/W.
  void StartInRoom(const std::string& more, double redline_c = 30,
                   double first_heat = 0.01) {
    DaemonSetup setup = SmallSetup(folder_.File(""), more);
    std::vector<double> heat(64, 0.0);
    for (std::size_t node = 0; node < 8; ++node) heat[9 * node] = 0.01;
    heat[0] = first_heat;
    Room::Description room = RoomDescription(8, 8, heat);
    room.redline_c = redline_c;
    setup.machine = InRoom(*setup.machine, std::move(room));
    setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
    Serve(setup);
  }
  v1::RoomStatus RoomNow() {
    return Good(&Stub::Status, v1::StatusRequest()).room();
  }
  // Asks again until it holds, for as long as a slow machine may take.
  template <typename Condition>
  v1::RoomStatus RoomWhen(Condition holds) {
    v1::RoomStatus room = RoomNow();
    for (int i = 0; i < 1000 && !holds(room); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      room = RoomNow();
    }
    return room;
  }
  // The room is looked at some times a second.
  void ExpectLogged(const std::string& text) {
    RoomWhen([&](const v1::RoomStatus& /*now*/) {
      return Log().find(text) != std::string::npos;
    });
    EXPECT_THAT(Log(), HasSubstr(text));
  }
  std::string Log() const {
    std::ifstream file(folder_.File("log.txt"));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(ThermalMonitorTest, NoRoomStatusWithoutARoom) {
  EXPECT_FALSE(Good(&Stub::Status, v1::StatusRequest()).has_room());
}

TEST_F(ThermalMonitorTest, FollowsHoldings) {
  StartInRoom("");
  EXPECT_NEAR(RoomNow().steady_peak_inlet_c(), 16, 1e-6);
  EXPECT_NEAR(RoomNow().supply_max_c(), 29, 1e-6);
  EXPECT_TRUE(RoomNow().cop_is_sensible());
  Sync();
  EXPECT_TRUE(Allocate(AskFor(epoch_, 1, 4)).placed());
  const v1::RoomStatus room = RoomNow();  // at once
  EXPECT_NEAR(room.steady_peak_inlet_c(), 17.7, 1e-6);
  EXPECT_EQ(room.steady_peak_node(), "n1");
  EXPECT_NEAR(room.it_w(), 800 + 4 * 170, 1e-6);
  EXPECT_GE(room.peak_inlet_c(), 16);
  EXPECT_LT(room.peak_inlet_c(), 17.7);
  EXPECT_FALSE(room.over_redline());
  EXPECT_EQ(room.inlets_good() + room.inlets_bad(), 0U);
  ExpectLogged("\"steady_peak_inlet_c\":17.7");
}

// A node's 200 W more of computing are 100 W of communicating: 16 C and 1 K.
TEST_F(ThermalMonitorTest, CommentShareSetsThePowerOfAJob) {
  StartInRoom("");
  Sync();
  v1::AllocateRequest request = AskFor(epoch_, 1, 4);
  request.set_comment("see wiki, coolspan:comm-share=1");
  ASSERT_TRUE(Allocate(request).placed());
  EXPECT_EQ(Explain(1).facts().at("communication_share"), "1");
  EXPECT_THAT(Explain(1).why(), HasSubstr("communication share 1"));
  EXPECT_EQ(Explain(1).facts().at("peak_inlet_after_c"), "17");
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3, 4}));
  const auto of_the_first = [this] {
    return Good(&Stub::Jobs, v1::JobsRequest()).jobs(0).communication_share();
  };
  EXPECT_EQ(of_the_first(), 1.0F);
  const auto is_at_17 = [](const v1::RoomStatus& now) {
    return now.steady_peak_inlet_c() > 16.5;
  };
  EXPECT_NEAR(RoomWhen(is_at_17).steady_peak_inlet_c(), 17, 1e-6);
  StartInRoom("");
  Sync(SmallSync({WholeHolding(1, {1, 2, 3, 4})}));
  EXPECT_EQ(of_the_first(), 1.0F);
  EXPECT_NEAR(RoomWhen(is_at_17).steady_peak_inlet_c(), 17, 1e-6);
}

// Also those that were never asked for here.
TEST_F(ThermalMonitorTest, CommentShareSetsThePowerOfARunningJob) {
  StartInRoom("");
  v1::Holding holding = WholeHolding(1, {5});
  holding.set_comment("coolspan:comm-share=0.5");
  Sync(SmallSync({holding}));
  v1::Event commit = CommitOf(epoch_, 1, 2, {7});
  commit.mutable_holding()->set_comment("coolspan:comm-share=0");
  Commit(commit);
  commit = CommitOf(epoch_, 2, 3, {8});
  commit.mutable_holding()->set_comment("coolspan:comm-share=0,5");
  commit.mutable_holding()->set_communication_share(0.25F);
  Commit(commit);
  commit = CommitOf(epoch_, 3, 4, {6});
  commit.mutable_holding()->set_comment("coolspan:comm-share=much");
  Commit(commit);
  const v1::JobsReply jobs = Good(&Stub::Jobs, v1::JobsRequest());
  ASSERT_EQ(jobs.jobs_size(), 4);
  EXPECT_EQ(jobs.jobs(0).communication_share(), 0.5F);
  EXPECT_TRUE(jobs.jobs(1).has_communication_share());
  EXPECT_EQ(jobs.jobs(1).communication_share(), 0.0F);
  EXPECT_EQ(jobs.jobs(2).communication_share(), 0.25F);
  EXPECT_FALSE(jobs.jobs(3).has_communication_share());
  const v1::RoomStatus room = RoomWhen(
      [](const v1::RoomStatus& now) { return now.steady_peak_inlet_c() > 17; });
  EXPECT_NEAR(room.it_w(), 800 + 150 + 200 + 175 + 170, 1e-3);
  EXPECT_EQ(room.steady_peak_node(), "n7");
}

TEST_F(ThermalMonitorTest, WarnsOfTheRedline) {
  StartInRoom("", 17);
  Sync();
  EXPECT_TRUE(Allocate(AskFor(epoch_, 1, 1)).placed());
  EXPECT_TRUE(RoomNow().over_redline());
  ExpectLogged("\"predicted\":\"exceeded\",\"node\":\"n1\"");
}

// n1 would be at 15 + 270 W * 0.08 K/W = 36.6 C.
TEST_F(ThermalMonitorTest, GuardAvoidsExceedingTheRedline) {
  StartInRoom("", 30, 0.08);
  Sync();
  const v1::AllocateReply guarded = Allocate(AskFor(epoch_, 1, 2));
  ASSERT_TRUE(guarded.placed());
  const v1::DecisionRecord why = Explain(1);
  EXPECT_EQ(why.policy(), "first-fit");
  EXPECT_EQ(why.facts().at("redline_guard"), "took cooler nodes");
  EXPECT_EQ(why.facts().at("unguarded_peak_inlet_c"), "36.6");
  EXPECT_THAT(why.node_ids(), testing::Not(testing::Contains(0U)));
  EXPECT_EQ(RoomNow().decisions_guarded(), 1U);
  EXPECT_EQ(RoomNow().decisions_over_redline(), 0U);
  EXPECT_TRUE(Allocate(AskFor(epoch_, 2, 6)).placed());
  EXPECT_EQ(Explain(2).facts().at("redline_guard"), "found no cooler nodes");
  EXPECT_EQ(Explain(2).facts().at("over_redline_k"), "6.6");
  EXPECT_EQ(RoomNow().decisions_guarded(), 1U);
  EXPECT_EQ(RoomNow().decisions_over_redline(), 1U);
  ExpectLogged("\"over_redline\":true");
}

// n1 warms itself most: 15 + 270 W * 0.02 K/W; without it the peak is n1's at
// idle, 17 C.
TEST_F(ThermalMonitorTest, ExplainsTheCostOfOtherChoices) {
  StartInRoom("", 30, 0.02);
  Sync();
  ASSERT_TRUE(Allocate(AskFor(epoch_, 1, 2)).placed());
  const v1::DecisionRecord why = Explain(1);
  EXPECT_THAT(why.node_ids(), testing::ElementsAre(0, 1));
  EXPECT_EQ(why.facts().at("peak_inlet_before_c"), "17");
  EXPECT_EQ(why.facts().at("peak_inlet_after_c"), "20.4");
  EXPECT_EQ(why.facts().at("coolest_peak_inlet_c"), "17.7");
  EXPECT_EQ(why.facts().at("pairwise_total"), "1");
  EXPECT_EQ(why.facts().at("compact_pairwise_total"), "1");
}

TEST_F(ThermalMonitorTest, DetectsAnOutlier) {
  Exporter exporter;
  StartInRoom("telemetry: {scrape: [\"" + exporter.url() +
              "\"], interval_s: 0.1}\n");
  v1::RoomStatus room = RoomWhen(
      [](const v1::RoomStatus& now) { return now.inlets_good() == 8; });
  EXPECT_EQ(room.inlets_good(), 8U);
  exporter.Lie(45);
  room =
      RoomWhen([](const v1::RoomStatus& now) { return now.inlets_bad() == 1; });
  ASSERT_EQ(room.bad_size(), 1);
  EXPECT_EQ(room.bad(0).node(), "n3");
  EXPECT_EQ(room.bad(0).kind(), "inlet");
  EXPECT_EQ(room.bad(0).state(), "deviant");
  EXPECT_EQ(room.bad(0).value(), 45);
  EXPECT_LT(room.peak_inlet_c(), 17);
  Sync();
  EXPECT_TRUE(Allocate(AskFor(epoch_, 1, 8)).placed());
  RoomWhen([this](const v1::RoomStatus& /*now*/) {
    return Log().find("\"state\":\"deviant\"") != std::string::npos;
  });
  EXPECT_THAT(Log(), HasSubstr("\"node\":\"n3\",\"kind\":\"inlet\",\"state\":"
                               "\"deviant\",\"value\":45"));
}

TEST_F(ThermalMonitorTest, InletBiasFollowsTheConfiguredTime) {
  Exporter exporter;
  exporter.Lie(18);  // not far enough off to be one
  StartInRoom("telemetry: {scrape: [\"" + exporter.url() +
              "\"], interval_s: 0.1, bias_time_s: 1}\n");
  const v1::RoomStatus room = RoomWhen([](const v1::RoomStatus& now) {
    return now.steady_peak_inlet_c() > 17.5;
  });
  EXPECT_GT(room.steady_peak_inlet_c(), 17.5);
  EXPECT_EQ(room.steady_peak_node(), "n3");
  EXPECT_LT(room.supply_max_c(), 27.5);
}

TEST_F(ThermalMonitorTest, PowerBiasFollowsTheConfiguredTime) {
  StartInRoom("telemetry: {power_settles_s: 0}\n");
  v1::Readings readings;
  readings.add_readings()->set_node("n2");
  readings.mutable_readings(0)->set_power_w(400);
  const v1::RoomStatus room = RoomWhen([&](const v1::RoomStatus& now) {
    Agent agent(*daemon_);
    agent.stream->Write(readings);
    agent.stream->WritesDone();
    EXPECT_TRUE(agent.stream->Finish().ok());
    return now.steady_peak_inlet_c() > 18.9;
  });
  EXPECT_NEAR(room.steady_peak_inlet_c(), 15 + 400 * 0.01, 0.05);
  EXPECT_EQ(room.steady_peak_node(), "n2");
}

TEST_F(ThermalMonitorTest, AcceptsPushedReadings) {
  StartInRoom("");
  Agent agent(*daemon_);
  v1::Readings readings;
  for (const char* const name : {"n1", "n2", "other"}) {
    v1::Reading& reading = *readings.add_readings();
    reading.set_node(name);
    reading.set_inlet_c(16.5);
  }
  readings.mutable_readings(1)->set_power_w(1e9);
  EXPECT_TRUE(agent.stream->Write(readings));
  EXPECT_TRUE(agent.stream->WritesDone());
  EXPECT_TRUE(agent.stream->Finish().ok());
  EXPECT_EQ(agent.reply.taken(), 2U);
  EXPECT_EQ(agent.reply.unknown_nodes(), 1U);
  const v1::RoomStatus room = RoomNow();
  EXPECT_EQ(room.inlets_good(), 2U);
  ASSERT_EQ(room.bad_size(), 1);
  EXPECT_EQ(room.bad(0).node(), "n2");
  EXPECT_EQ(room.bad(0).kind(), "power");
  EXPECT_EQ(room.bad(0).state(), "absurd");
  EXPECT_EQ(room.powers_good(), 0U);
  EXPECT_EQ(room.powers_bad(), 1U);
}

// Each inlet is 4 K warmer than the model; power is 170 W more on n2.
class LearnedRoomTest : public ThermalMonitorTest {
 protected:
  static constexpr char kTelemetry[] =
      "telemetry: {power_settles_s: 0, bias_time_s: 20}\n";

  void Teach() {
    Agent agent(*daemon_);
    v1::Readings readings;
    for (int node = 1; node <= 8; ++node) {
      v1::Reading& reading = *readings.add_readings();
      reading.set_node("n" + std::to_string(node));
      reading.set_inlet_c(20);
      if (node == 2) reading.set_power_w(270);
    }
    agent.stream->Write(readings);
    agent.stream->WritesDone();
    EXPECT_TRUE(agent.stream->Finish().ok());
  }
};

TEST_F(LearnedRoomTest, SurvivesARestart) {
  StartInRoom(kTelemetry);
  Teach();
  // 17.7 C by the excess of power; more by the bias.
  const double before_c = RoomWhen([](const v1::RoomStatus& now) {
                            return now.steady_peak_inlet_c() > 18.2;
                          }).steady_peak_inlet_c();
  EXPECT_GT(before_c, 18.2);
  StartInRoom(kTelemetry);
  const v1::RoomStatus after = RoomNow();
  // The bias decays while the daemon is down.
  EXPECT_GT(after.steady_peak_inlet_c(), 17.71);
  EXPECT_LE(after.steady_peak_inlet_c(), before_c + 0.5);
  EXPECT_EQ(after.steady_peak_node(), "n2");
  EXPECT_EQ(after.inlets_good(), 0U) << "without a reading";
}

TEST_F(LearnedRoomTest, IsOfOneRoom) {
  StartInRoom(kTelemetry);
  Teach();
  RoomWhen(
      [](const v1::RoomStatus& now) { return now.steady_peak_inlet_c() > 18; });
  StartInRoom(kTelemetry, 30, 0.012);
  EXPECT_NEAR(RoomNow().steady_peak_inlet_c(), 16.2, 1e-9) << "n1's 1.2 K";
  ExpectLogged("correction of inlets starts at 0");
}

// As the select plugin forwards what Slurm measures.
TEST_F(ThermalMonitorTest, PowerAloneMakesNoInletMissing) {
  StartInRoom("telemetry: {missing_after_s: 1}\n");
  Agent agent(*daemon_);
  v1::Readings readings;
  for (const char* const name : {"n1", "n2"}) {
    v1::Reading& reading = *readings.add_readings();
    reading.set_node(name);
    reading.set_power_w(100);
  }
  EXPECT_TRUE(agent.stream->Write(readings));
  EXPECT_TRUE(RoomWhen([](const v1::RoomStatus& now) {
                return now.powers_good() == 2;
              }).powers_good() == 2);
  const v1::RoomStatus room =
      RoomWhen([](const v1::RoomStatus& now) { return now.powers_bad() == 2; });
  ASSERT_EQ(room.bad_size(), 2);
  EXPECT_EQ(room.bad(0).kind(), "power");
  EXPECT_EQ(room.bad(0).state(), "missing");
  EXPECT_EQ(room.inlets_bad(), 0U);
  agent.stream->WritesDone();
  EXPECT_TRUE(agent.stream->Finish().ok());
}

// The daemon file has no telemetry at the start; reloads add and remove it.
TEST_F(ThermalMonitorTest, AReloadStartsAndEndsTheReadingOfPages) {
  std::ofstream heat(folder_.File("d.txt"));
  for (int i = 0; i < 64; ++i) {
    heat << (i % 9 == 0 ? 0.001 : 0.0) << (i % 8 == 7 ? "\n" : " ");
  }
  heat.close();
  std::ofstream(folder_.File("m.yaml"))
      << "name: small\ntopology: {kind: mesh, dims: [8]}\nnodes: \"n[1-8]\"\n"
         "node_types:\n  - {name: t, nodes: \"n[1-8]\", idle_w: 100, "
         "compute_w: 300, communicate_w: 200}\n"
         "thermal: {heat_distribution: d.txt, airflow_w_per_k: 300, supply_c: "
         "15, redline_c: 30, cop: [0.0068, 0.0008, 0.458]}\n";
  const std::string file = folder_.File("d.yaml");
  const std::string fixed = "listen: unix://" + folder_.File("s.sock") +
                            "\nmachine: m.yaml\npolicy: first-fit\n"
                            "state: {sqlite: state.db}\n";
  std::ofstream(file) << fixed;
  const auto setup = LoadDaemonFile(file);
  ASSERT_TRUE(setup.ok()) << setup.status();
  Serve(*setup);
  const auto good = [this] {
    return Good(&Stub::Status, v1::StatusRequest()).room().inlets_good();
  };
  EXPECT_EQ(good(), 0u);
  Exporter exporter;
  std::ofstream(file) << fixed << "telemetry: {scrape: \"" << exporter.url()
                      << "\", interval_s: 0.1, missing_after_s: 1}\n";
  Good(&Stub::Reload, v1::ReloadRequest());
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (good() != 8 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(good(), 8u);
  std::ofstream(file) << fixed << "telemetry: {missing_after_s: 1}\n";
  Good(&Stub::Reload, v1::ReloadRequest());
  while (good() != 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(good(), 0u) << "the readings are missing";
}

TEST_F(ThermalMonitorTest, TelemetryNeedsARoom) {
  Agent agent(*daemon_);
  const grpc::Status status = agent.stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("machine small"));
}

TEST_F(ThermalMonitorTest, ReportsAPageThatCannotBeRead) {
  StartInRoom(
      "telemetry: {scrape: [\"http://127.0.0.1:1/metrics\"], interval_s: "
      "0.1}\n");
  RoomWhen([this](const v1::RoomStatus& /*now*/) {
    return Log().find("\"scrape\"") != std::string::npos;
  });
  EXPECT_THAT(Log(), HasSubstr("\"url\":\"http://127.0.0.1:1/metrics\""));
}

}  // namespace
}  // namespace coolspan
