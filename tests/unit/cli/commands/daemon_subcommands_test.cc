// SPDX-License-Identifier: GPL-3.0-or-later
// status, jobs, explain and map-view with a daemon that sends fixed answers.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.grpc.pb.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void AddReason(const std::string& reason, std::uint64_t jobs,
               v1::ReasonCount& count) {
  count.set_reason(reason);
  count.set_jobs(jobs);
}

class CannedDaemon final : public v1::Allocator::Service {
 public:
  grpc::Status Status(grpc::ServerContext*, const v1::StatusRequest*,
                      v1::StatusReply* reply) override {
    reply->set_version("9.8.7");
    reply->set_machine("test");
    reply->set_policy("best-fit");
    reply->set_ordering("hilbert");
    if (drained_) reply->set_drained_ms(1'700'000'000'000);
    reply->mutable_config()->set_file("/etc/d.yaml");
    reply->mutable_config()->set_error(reload_error_);
    reply->set_decisions(12);
    reply->set_decision_us_p99(3.25);
    reply->add_node_names("n[1-4]");
    reply->mutable_grid()->add_dims(2);
    reply->mutable_grid()->add_dims(2);
    reply->mutable_grid()->add_wrap(false);
    reply->mutable_grid()->add_wrap(false);
    reply->mutable_grid()->set_nodes_per_vertex(1);
    v1::ClusterStatus* cluster = reply->add_clusters();
    cluster->set_name("mini");
    cluster->set_nodes(4);
    cluster->set_nodes_free(2);
    v1::ClusterStatus::FreeSpace& free = *cluster->mutable_free_space();
    free.set_intervals(2);
    free.set_largest_interval(1);
    free.add_idle_switches(0);
    free.add_largest_switch(1);
    cluster->set_nodes_unavailable(1);
    cluster->set_nodes_unknown(1);
    cluster->set_contact_age_ms(59'999);
    cluster->set_mode(mode_);
    cluster->set_client_mode("advise");
    v1::ClusterStatus* silent = reply->add_clusters();
    silent->set_name("silent");
    silent->set_contact_age_ms(185'000);
    reply->add_clusters()->set_name("stored");
    v1::ClusterStatus* followed = reply->add_clusters();
    followed->set_name("followed");
    followed->set_leader("ipv4:10.0.0.12:7070");
    cluster = reply->mutable_clusters(0);
    cluster->set_jobs_committed(1);
    v1::StartCounts* starts = cluster->mutable_starts();
    starts->set_enforced(2);
    starts->set_advised(3);
    AddReason("--contiguous", 4, *starts->add_left());
    AddReason("LLN", 1, *starts->add_left());
    AddReason("no answer within the deadline", 1, *starts->add_fallback());
    starts->mutable_advice()->set_jobs(3);
    starts->mutable_advice()->set_jobs_n2(2);
    starts->mutable_advice()->set_jobs_cooling(3);
    starts->mutable_advice()->mutable_decided()->set_pairwise_mean(6.2);
    starts->mutable_advice()->mutable_actual()->set_pairwise_mean(8.4);
    starts->mutable_advice()->mutable_decided()->set_cooling_w(2436);
    starts->mutable_advice()->mutable_actual()->set_cooling_w(2520);
    silent->set_heard_ms(1'700'000'000'000);
    reply->mutable_clusters(2)->set_incomplete(true);
    v1::StateStatus& state = *reply->mutable_state();
    state.set_ledger(ledger_);
    state.set_ledger_bytes(3 << 20);
    state.set_archive_bytes(40 << 20);
    state.set_archive_max_bytes(64 << 20);
    state.set_archive_dropped(2);
    state.add_warnings("/s/state.db: something");
    // Only power is measured.
    reply->mutable_room()->set_powers_good(3);
    reply->mutable_room()->set_powers_bad(1);
    v1::SensorStatus* sensor = reply->mutable_room()->add_bad();
    sensor->set_node("n2");
    sensor->set_kind("power");
    sensor->set_state("absurd");
    sensor->set_value(5000);
    return grpc::Status::OK;
  }

  // Two pages.
  grpc::Status History(grpc::ServerContext*, const v1::HistoryRequest* request,
                       v1::HistoryReply* reply) override {
    EXPECT_EQ(request->until_ms(), 1'795'428'000'000);
    v1::StartRecord* record = reply->add_starts();
    if (request->after() == 7) {
      record->mutable_job()->set_job_id(15);
      record->mutable_start()->set_array_job_id(12);
      record->mutable_start()->set_array_task_id(3);
      record->set_started_ms(300'000);
      record->set_hostlist("n4");
      return grpc::Status::OK;
    }
    record->mutable_job()->set_job_id(11);
    record->set_started_ms(100'000);
    record->set_ended_ms(160'999);
    record->mutable_start()->set_submitted_s(90);
    record->mutable_start()->set_time_limit_s(600);
    record->set_hostlist("n[1,3]");
    *reply->add_starts() = *record;
    reply->mutable_starts(1)->mutable_job()->set_job_id(13);
    reply->mutable_starts(1)->set_ended_ms(0);
    reply->add_running()->set_job_id(13);
    reply->set_next(7);
    return grpc::Status::OK;
  }

  grpc::Status Jobs(grpc::ServerContext*, const v1::JobsRequest* request,
                    v1::JobsReply* reply) override {
    if (!request->cluster().empty() && request->cluster() != "mini") {
      return {grpc::StatusCode::NOT_FOUND, "no cluster other; known: mini"};
    }
    reply->set_machine_nodes(4);
    reply->add_unavailable_ids(2);
    reply->add_unavailable_ids(3);
    reply->set_unavailable_hostlist("n[3-4]");
    v1::JobRecord* job = reply->add_jobs();
    job->mutable_job()->set_job_id(36);
    job->set_state("committed");
    job->set_hostlist("n[1,4]");
    job->set_whole(true);
    job->add_node_ids(0);
    job->add_node_ids(3);
    job->set_decision_id("36.0.1");
    job->set_communication_share(0.3F);
    job->set_expected_end_ms(1'700'000'000'000);
    reply->add_jobs()->mutable_job()->set_job_id(37);
    reply->mutable_jobs(1)->mutable_start()->set_verdict("fallback");
    reply->mutable_jobs(1)->mutable_start()->set_reason("no answer");
    return grpc::Status::OK;
  }

  grpc::Status SetMode(grpc::ServerContext*, const v1::SetModeRequest* request,
                       v1::SetModeReply* reply) override {
    reply->set_cluster("mini");
    reply->set_previous(mode_);
    mode_ = request->mode();
    return grpc::Status::OK;
  }

  // Two tentative allocations, of which each call ends one.
  grpc::Status Drain(grpc::ServerContext*, const v1::DrainRequest* request,
                     v1::DrainReply* reply) override {
    if (request->query() && is_undone_meanwhile_) drained_ = false;
    reply->set_was_drained(drained_);
    if (!request->query()) drained_ = !request->undo();
    reply->set_tentative(tentative_);
    reply->set_sessions(1);
    if (ends_tentative_ && tentative_ > 0) --tentative_;
    return grpc::Status::OK;
  }

  grpc::Status Reload(grpc::ServerContext*, const v1::ReloadRequest*,
                      v1::ReloadReply* reply) override {
    if (!reload_error_.empty()) {
      return {grpc::StatusCode::FAILED_PRECONDITION, reload_error_};
    }
    v1::OptionChange& change = *reply->add_changes();
    change.set_option("log.level");
    change.set_before("info");
    change.set_after("debug");
    reply->add_warnings("slow");
    reload_error_ = "d.yaml:1:9: listen: b (expected a)";
    return grpc::Status::OK;
  }

  grpc::Status RemoveCluster(grpc::ServerContext*,
                             const v1::RemoveClusterRequest* request,
                             v1::RemoveClusterReply* reply) override {
    if (request->cluster() == "other") {
      return {grpc::StatusCode::NOT_FOUND, "cluster: \"other\" is unknown"};
    }
    if (!request->force()) {
      return {grpc::StatusCode::FAILED_PRECONDITION,
              "cluster: \"mini\" is in contact"};
    }
    reply->set_cluster(request->cluster());
    reply->set_jobs(1);
    return grpc::Status::OK;
  }

  grpc::Status Explain(grpc::ServerContext*, const v1::ExplainRequest* request,
                       v1::ExplainReply* reply) override {
    if (request->has_array_task_id()) {
      v1::StartRecord* start = reply->add_starts();
      start->mutable_job()->set_job_id(115);
      start->set_hostlist("n[1-2]");
      start->mutable_start()->set_verdict("left");
      start->mutable_start()->set_reason("--contiguous");
      start->mutable_start()->set_array_job_id(request->job_id());
      start->mutable_start()->set_array_task_id(request->array_task_id());
      return grpc::Status::OK;
    }
    if (request->job_id() != 36)
      return {grpc::StatusCode::NOT_FOUND,
              "no decision about job 37 is stored"};
    v1::DecisionRecord* decision = reply->add_decisions();
    decision->set_id("36.0.1");
    decision->mutable_job()->set_job_id(36);
    decision->set_placed(true);
    decision->set_hostlist("n[1,4]");
    decision->add_node_ids(0);
    decision->add_node_ids(3);
    decision->set_policy("best-fit");
    decision->set_ordering("hilbert");
    decision->set_why("the only two left");
    decision->set_rule("rule 2, line 14");
    decision->set_outcome("committed");
    decision->set_available(2);
    (*decision->mutable_metrics())["pairwise_total"] = 2;
    (*decision->mutable_facts())["free_nodes"] = "2";
    decision->set_mode("advise");
    v1::StartRecord* start = reply->add_starts();
    start->mutable_job()->set_job_id(36);
    start->set_hostlist("n[2-3]");
    start->mutable_start()->set_verdict("advised");
    start->mutable_start()->set_decision_id("36.0.1");
    start->mutable_advice()->set_nodes(2);
    start->mutable_advice()->mutable_decided()->set_pairwise_mean(2);
    start->mutable_advice()->mutable_decided()->set_cooling_w(812.4);
    start->mutable_advice()->mutable_actual()->set_pairwise_mean(1);
    return grpc::Status::OK;
  }

 private:
  std::string mode_;
  std::string reload_error_;  // from the second reload on
  bool drained_ = false;
  std::uint32_t tentative_ = 2;

 public:
  std::string ledger_ = "/s/state.db";
  bool is_undone_meanwhile_ = false;
  bool ends_tentative_ = true;
};

class DaemonSubcommands : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    endpoint_ = "unix://" + (folder_ / "sock").string();
    grpc::ServerBuilder builder;
    builder.AddListeningPort(endpoint_, grpc::InsecureServerCredentials());
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void TearDown() override {
    server_->Shutdown();
    CliTest::TearDown();
  }
  CliResult Ask(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--endpoint", endpoint_});
    return RunCli(arguments);
  }

  std::string endpoint_;
  CannedDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(DaemonSubcommands, ClusterList) {
  const CliResult text = Ask({"cluster", "list"});
  EXPECT_EQ(text.exit, Exit::kSuccess) << text.err;
  EXPECT_THAT(text.out, HasSubstr("mini"));
  EXPECT_THAT(text.out, HasSubstr("59 s ago"));
  const auto clusters =
      Ask({"cluster", "list", "--json"}).Json().at("clusters");
  ASSERT_EQ(clusters.size(), 4u);
  EXPECT_EQ(clusters.at(0).at("cluster"), "mini");
  EXPECT_EQ(clusters.at(0).at("jobs"), 1);
  EXPECT_EQ(clusters.at(1).at("heard_ms"), 1'700'000'000'000);
  EXPECT_EQ(clusters.at(2).at("contact_age_ms"), nullptr);
  EXPECT_EQ(clusters.at(2).at("incomplete"), true);
}

TEST_F(DaemonSubcommands, ClusterRemove) {
  const CliResult refused = Ask({"cluster", "remove", "mini"});
  EXPECT_EQ(refused.exit, Exit::kCannotBeMet);
  EXPECT_THAT(refused.err, HasSubstr("is in contact (--force removes it"));
  const CliResult done = Ask({"cluster", "remove", "mini", "--force"});
  EXPECT_EQ(done.exit, Exit::kSuccess) << done.err;
  EXPECT_EQ(done.out, "cluster mini: removed, with 1 job\n");
  const auto json =
      Ask({"cluster", "remove", "mini", "--force", "--json"}).Json();
  EXPECT_EQ(json.at("cluster"), "mini");
  EXPECT_EQ(json.at("jobs"), 1);
  EXPECT_EQ(Ask({"cluster", "remove", "other"}).exit, Exit::kBadInput);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"cluster"},
        {"cluster", "remove"},
        {"cluster", "list", "mini"},
        {"cluster", "forget", "mini"}}) {
    EXPECT_EQ(Ask(wrong).exit, Exit::kBadInput) << wrong.back();
  }
}

TEST_F(DaemonSubcommands, StatusShowsTheState) {
  const std::string text = Ask({"status"}).out;
  EXPECT_THAT(
      text,
      HasSubstr("state: ledger 3.0 MiB, archive 40.0 MiB of at most 64 MiB\n"
                "state: 2 archive records dropped: the archive could not be "
                "written\n"
                "state: warning: /s/state.db: something\n"));
  EXPECT_THAT(text, HasSubstr("stored: not all jobs were restored; no "
                              "decisions before the next sync"));
  const auto json = Ask({"status", "--json"}).Json();
  EXPECT_EQ(json.at("state").at("ledger"), "/s/state.db");
  EXPECT_EQ(json.at("state").at("archive_max_bytes"), 64 << 20);
  EXPECT_THAT(json.at("state").at("warnings"),
              ElementsAre("/s/state.db: something"));
  EXPECT_EQ(json.at("clusters").at(2).at("incomplete"), true);
}

TEST_F(DaemonSubcommands, Mode) {
  const CliResult text = Ask({"mode", "advise"});
  EXPECT_EQ(text.exit, Exit::kSuccess) << text.err;
  EXPECT_EQ(text.out, "cluster mini: mode advise (previously default)\n");
  const auto json = Ask({"mode", "default", "--json"}).Json();
  EXPECT_EQ(json.at("cluster"), "mini");
  EXPECT_EQ(json.at("mode"), "default");
  EXPECT_EQ(json.at("previous"), "advise");
  EXPECT_EQ(Ask({"mode", "off"}).out,
            "cluster mini: mode off (previously default)\n");
  const CliResult perhaps = Ask({"mode", "perhaps"});
  EXPECT_EQ(perhaps.exit, Exit::kBadInput);
  EXPECT_THAT(perhaps.err,
              testing::StartsWith("coolspan mode: MODE: 'perhaps' is not "
                                  "valid (expected enforce, advise, off or "
                                  "default)"));
}

TEST_F(DaemonSubcommands, DrainWaitsUntilNothingIsInProgress) {
  EXPECT_EQ(Ask({"status", "--json"}).Json()["drained_ms"], nullptr);
  const CliResult done = Ask({"drain"});
  EXPECT_EQ(done.exit, Exit::kSuccess) << done.err;
  EXPECT_EQ(done.out,
            "drained: nothing is in progress, the daemon can be stopped; a "
            "stop cancels 1 replay session\n");
  EXPECT_THAT(Ask({"status"}).out, HasSubstr("\ndrained since "));
  EXPECT_EQ(Ask({"drain", "--undo"}).out,
            "drain ended: the daemon may decide again\n");
  EXPECT_EQ(Ask({"drain", "--undo"}).out, "the daemon was not drained\n");
  const auto json = Ask({"drain", "--json"}).Json();
  EXPECT_EQ(json.at("drained"), true);
  EXPECT_EQ(json.at("was_drained"), false);
  EXPECT_EQ(json.at("tentative"), 0);
  EXPECT_EQ(json.at("sessions"), 1);
}

TEST_F(DaemonSubcommands, AWaitingDrainDoesNotDrainAgain) {
  daemon_.is_undone_meanwhile_ = true;
  const CliResult result = Ask({"drain"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_THAT(result.err, HasSubstr("no longer drained"));
  EXPECT_EQ(Ask({"status", "--json"}).Json()["drained_ms"], nullptr);
}

TEST_F(DaemonSubcommands, DrainTellsWhatIsStillInProgress) {
  daemon_.ends_tentative_ = false;
  const CliResult result = Ask({"drain", "--timeout", "0"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_THAT(result.err, HasSubstr("drained: 0 decisions and 2 tentative "
                                    "allocations are in progress"));
}

TEST_F(DaemonSubcommands, Reload) {
  EXPECT_EQ(Ask({"status", "--json"}).Json()["config"]["reload_error"],
            nullptr);
  const CliResult done = Ask({"reload", "--json"});
  EXPECT_EQ(done.exit, Exit::kSuccess) << done.err;
  EXPECT_EQ(done.Json()["changes"][0]["option"], "log.level");
  EXPECT_EQ(done.Json()["changes"][0]["after"], "debug");
  EXPECT_EQ(done.Json()["warnings"][0], "slow");
  EXPECT_THAT(done.err, HasSubstr("warning: slow"));
  const CliResult refused = Ask({"reload"});
  EXPECT_EQ(refused.exit, Exit::kCannotBeMet);
  EXPECT_THAT(refused.err, HasSubstr("d.yaml:1:9: listen: b (expected a)"));
  EXPECT_THAT(Ask({"status"}).out,
              HasSubstr("configuration /etc/d.yaml, loaded -\nconfiguration: "
                        "reload at - refused: d.yaml:1:9: listen: b"));
  EXPECT_EQ(Ask({"status", "--json"}).Json()["config"]["reload_error"],
            "d.yaml:1:9: listen: b (expected a)");
}

TEST_F(DaemonSubcommands, ReloadNamesTheChanges) {
  EXPECT_EQ(Ask({"reload"}).out, "reloaded\nlog.level: debug (was info)\n");
}

TEST_F(DaemonSubcommands, ModeIsShownWithItsOrigin) {
  EXPECT_EQ(Ask({"mode", "--cluster", "mini"}).out,
            "cluster mini: mode advise (coolspan.conf)\n");
  EXPECT_EQ(Ask({"mode", "enforce"}).err, "");
  const CliResult all = Ask({"mode"});
  EXPECT_EQ(all.out,
            "cluster mini: mode enforce (coolspan mode)\n"
            "cluster silent: mode that of coolspan.conf\n"
            "cluster stored: mode that of coolspan.conf\n"
            "cluster followed: mode that of coolspan.conf\n");
  EXPECT_THAT(all.err, HasSubstr("warning: silent: no contact for 3 min"));
  EXPECT_THAT(Ask({"status"}).out, HasSubstr("enforce (coolspan mode)"));
  const auto json = Ask({"mode", "--json"}).Json().at("clusters").at(0);
  EXPECT_EQ(json.at("mode"), "enforce");
  EXPECT_EQ(json.at("client_mode"), "advise");
  const CliResult none = Ask({"mode", "--cluster", "none"});
  EXPECT_THAT(none.err, HasSubstr("cluster: \"none\" is unknown"));
  EXPECT_EQ(none.exit, Exit::kBadInput);
}

TEST_F(DaemonSubcommands, ExplainNamesTheMode) {
  EXPECT_THAT(Ask({"explain", "36"}).out,
              HasSubstr("mode       advise: Slurm chose the nodes"));
  EXPECT_EQ(Ask({"explain", "36", "--json"}).Json()["decisions"][0]["mode"],
            "advise");
}

TEST_F(DaemonSubcommands, ExplainShowsTheStart) {
  const std::string text = Ask({"explain", "36"}).out;
  EXPECT_THAT(text, HasSubstr("job 36 started -, advised\n"
                              "  nodes      n[2-3]\n"
                              "  decision   36.0.1\n"));
  EXPECT_THAT(text, HasSubstr("  Coolspan   mean hops 2.00, pairwise_total 0, "
                              "cooling power 812 W\n"));
  EXPECT_THAT(text, HasSubstr("  Slurm      mean hops 1.00, pairwise_total 0\n"
                              "\ndecision 36.0.1 "));
  const auto json = Ask({"explain", "36", "--json"}).Json();
  EXPECT_EQ(json.at("job"), "36");
  EXPECT_EQ(json.at("job_id"), 36);
  const auto& start = json.at("starts").at(0);
  EXPECT_EQ(start.at("verdict"), "advised");
  EXPECT_EQ(start.at("advice").at("coolspan").at("nodes"), 2);
  EXPECT_EQ(start.at("advice").at("slurm").at("cooling_w"), nullptr);
  EXPECT_FALSE(start.contains("array_job_id"));
}

TEST_F(DaemonSubcommands, ExplainTakesArrayTasks) {
  EXPECT_EQ(Ask({"explain", "111_3"}).out,
            "job 115 started -, left to Slurm: --contiguous\n"
            "  nodes      n[1-2]\n"
            "  array task 111_3\n");
  const auto json = Ask({"explain", "111_0", "--json"}).Json();
  EXPECT_EQ(json.at("job"), "111_0");
  EXPECT_EQ(json.at("job_id"), 115);
  EXPECT_EQ(json.at("starts").at(0).at("array_task_id"), 0);
  for (const char* const job : {"111_", "_3", "111_3_4", "111-3", "111+", "x",
                                "111_4294967296", "+1"}) {
    const CliResult result = Ask({"explain", job});
    EXPECT_EQ(result.exit, Exit::kBadInput) << job;
    EXPECT_THAT(result.err, HasSubstr("an array task such as 111_3")) << job;
  }
}

TEST_F(DaemonSubcommands, StatusCountsStarts) {
  EXPECT_THAT(
      Ask({"status"}).out,
      HasSubstr("mini: enforced: 2 jobs\n"
                "mini: advised: 3 jobs; mean hops: Coolspan 3.10, Slurm 4.20; "
                "mean cooling power: Coolspan 812 W, Slurm 840 W\n"
                "mini: left to Slurm: 5 jobs (--contiguous: 4, LLN: 1)\n"
                "mini: fallback: 1 job (no answer within the deadline: 1)\n"));
  const auto starts =
      Ask({"status", "--json"}).Json().at("clusters").at(0).at("starts");
  EXPECT_EQ(starts.at("left"), 5);
  EXPECT_EQ(starts.at("left_by_reason").at("--contiguous"), 4);
  EXPECT_EQ(starts.at("fallback_by_reason").size(), 1u);
  EXPECT_EQ(starts.at("advice").at("slurm").at("cooling_w"), 2520);
}

TEST_F(DaemonSubcommands, Status) {
  const CliResult text = Ask({"status"});
  EXPECT_EQ(text.exit, Exit::kSuccess) << text.err;
  EXPECT_THAT(text.out, HasSubstr("coolspand 9.8.7"));
  EXPECT_THAT(text.out, HasSubstr("3.25 us p99"));
  EXPECT_THAT(text.out,
              HasSubstr("room: power meters: 3 good, 1 bad\n"
                        "room: n2 power meter: out of range, last reading "
                        "5000.00 W\n"));
  const auto json = Ask({"status", "--json"}).Json();
  EXPECT_EQ(json.at("decisions"), 12);
  EXPECT_EQ(json.at("clusters").at(0).at("name"), "mini");
  const auto& free = json.at("clusters").at(0).at("free_space");
  EXPECT_EQ(free.at("free_intervals"), 2);
  EXPECT_EQ(free.at("largest_interval"), 1);
  EXPECT_TRUE(free.at("largest_box").is_null());
  EXPECT_EQ(free.at("switches").at(0).at("idle"), 0);
  EXPECT_EQ(free.at("switches").at(0).at("largest"), 1);
  EXPECT_TRUE(json.at("clusters").at(1).at("free_space").is_null());
  EXPECT_EQ(json.at("clusters").at(0).at("nodes_free"), 2);
  EXPECT_EQ(json.at("room").at("powers_good"), 3);
  EXPECT_EQ(json.at("room").at("powers_bad"), 1);
  EXPECT_EQ(json.at("room").at("bad").at(0).at("node"), "n2");
}

TEST_F(DaemonSubcommands, StatusShowsClustersWithoutContact) {
  const std::string text = Ask({"status"}).out;
  EXPECT_THAT(text, Not(HasSubstr("mini: no contact")));
  EXPECT_THAT(text, HasSubstr("silent: no contact for 3 min: its controller "
                              "is down, or slurmctld runs without Coolspan"));
  EXPECT_THAT(text, HasSubstr("stored: no contact since daemon start: "));
  EXPECT_THAT(text, Not(HasSubstr("followed: no contact")));
  const auto clusters = Ask({"status", "--json"}).Json().at("clusters");
  EXPECT_EQ(clusters.at(0).at("contact_age_ms"), 59'999);
  EXPECT_EQ(clusters.at(0).at("nodes_unavailable"), 1);
  EXPECT_THAT(text, HasSubstr("mini: 1 node not in the machine file: no jobs"));
  EXPECT_EQ(clusters.at(0).at("nodes_unknown"), 1);
  EXPECT_EQ(clusters.at(2).at("contact_age_ms"), nullptr);
  EXPECT_EQ(clusters.at(2).at("leader"), nullptr);
  EXPECT_EQ(clusters.at(3).at("leader"), "ipv4:10.0.0.12:7070");
}

TEST_F(DaemonSubcommands, StatusSaysWhoLeads) {
  EXPECT_THAT(Ask({"status"}).out, Not(HasSubstr("this daemon")));
  daemon_.ledger_ = "etcd a:2379,b:2379,c:2379";
  const std::string text = Ask({"status"}).out;
  EXPECT_THAT(text, HasSubstr("state: ledger in etcd (3 members), archive "));
  EXPECT_THAT(text, HasSubstr("\nmini: this daemon leads\n"));
  EXPECT_THAT(text, HasSubstr("\nfollowed: leader ipv4:10.0.0.12:7070 (starts "
                              "and history there); this daemon is a "
                              "follower\n"));
}

TEST_F(DaemonSubcommands, HistoryOfSeveralDaemonsSaysWhatIsMissing) {
  const auto warnings_of = [this](const char* cluster) {
    const CliResult result = Ask(
        {"jobs", "--history", "--until", "1795428000", "--cluster", cluster});
    EXPECT_EQ(result.exit, Exit::kSuccess);
    EXPECT_THAT(result.out, HasSubstr("\n11|11|90|100|160|10|2|n[1,3]|ENDED"));
    return result.err;
  };
  EXPECT_EQ(warnings_of("followed"), "");
  daemon_.ledger_ = "etcd a:2379";
  EXPECT_EQ(warnings_of("followed"),
            "warning: followed: only starts that this daemon "
            "recorded are listed, other daemons have theirs (leader: "
            "ipv4:10.0.0.12:7070)\n");
  EXPECT_THAT(warnings_of("mini"), HasSubstr("(leader: this daemon)"));
}

TEST_F(DaemonSubcommands, Jobs) {
  EXPECT_THAT(Ask({"jobs"}).out, HasSubstr("unavailable: n[3-4] (2 nodes)\n"));
  EXPECT_THAT(Ask({"jobs"}).out, HasSubstr("n[1,4]"));
  const auto json = Ask({"jobs", "--json", "--cluster", "mini"}).Json();
  EXPECT_EQ(json.at("machine_nodes"), 4);
  EXPECT_EQ(json.at("unavailable"), "n[3-4]");
  const auto& job = json.at("jobs").at(0);
  EXPECT_EQ(job.at("job_id"), 36);
  EXPECT_EQ(job.at("nodes"), "n[1,4]");
  EXPECT_THAT(job.at("ids"), ElementsAre(0, 3));
  EXPECT_EQ(job.at("communication_share"), 0.3);
  EXPECT_EQ(job.at("expected_end_ms"), 1'700'000'000'000);
  EXPECT_EQ(json.at("jobs").at(1).at("expected_end_ms"), nullptr);
  EXPECT_THAT(Ask({"jobs"}).out, HasSubstr("2023-11-1"));
  EXPECT_EQ(json.at("jobs").at(1).at("communication_share"), nullptr);
  EXPECT_EQ(json.at("jobs").at(1).at("verdict"), "fallback");
  EXPECT_EQ(json.at("jobs").at(1).at("reason"), "no answer");
  EXPECT_THAT(Ask({"jobs"}).out, HasSubstr("none (fallback: no answer)"));
}

TEST_F(DaemonSubcommands, HistoryIsATrace) {
  EXPECT_EQ(
      Ask({"jobs", "--history", "--until", "2026-11-23T10:00:00"}).out,
      "JobID|JobIDRaw|Submit|Start|End|TimelimitRaw|NNodes|NodeList|State\n"
      "11|11|90|100|160|10|2|n[1,3]|ENDED\n"
      "13|13|90|100|Unknown|10|2|n[1,3]|RUNNING\n"
      "12_3|15|300|300|Unknown||1|n4|UNKNOWN\n");
  const auto json =
      Ask({"jobs", "--history", "--until", "1795428000", "--json"}).Json();
  ASSERT_EQ(json.at("jobs").size(), 3u);
  EXPECT_EQ(json.at("jobs").at(0).at("end_s"), 160);
  EXPECT_EQ(json.at("jobs").at(1).at("end_s"), nullptr);
  EXPECT_EQ(json.at("jobs").at(2).at("job"), "12_3");
}

TEST_F(DaemonSubcommands, HistoryRefusesOtherTimes) {
  const CliResult result = Ask({"jobs", "--history", "--since", "yesterday"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr("--since: 'yesterday' is not valid"));
  EXPECT_EQ(Ask({"jobs", "--since", "5"}).exit, Exit::kBadInput);
  const CliResult empty =
      Ask({"jobs", "--history", "--since", "10", "--until", "10"});
  EXPECT_EQ(empty.exit, Exit::kBadInput);
  EXPECT_THAT(empty.err, HasSubstr("--until: 10 is not after --since 10"));
}

TEST_F(DaemonSubcommands, ErrorsOfTheDaemonAreBadInput) {
  const CliResult result = Ask({"jobs", "--cluster", "other"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr("no cluster other; known: mini"));
}

TEST_F(DaemonSubcommands, Explain) {
  const CliResult text = Ask({"explain", "36"});
  EXPECT_THAT(text.out, HasSubstr("the only two left"));
  EXPECT_THAT(text.out, HasSubstr("pairwise_total"));
  EXPECT_THAT(text.out, HasSubstr("  set by     rule 2, line 14\n"));
  const auto decision =
      Ask({"explain", "36", "--json"}).Json().at("decisions").at(0);
  EXPECT_EQ(decision.at("outcome"), "committed");
  EXPECT_EQ(decision.at("rule"), "rule 2, line 14");
  EXPECT_EQ(decision.at("metrics").at("pairwise_total"), 2);
  EXPECT_EQ(decision.at("facts").at("free_nodes"), "2");
}

TEST_F(DaemonSubcommands, ExplainTakesDecisionIds) {
  EXPECT_EQ(Ask({"explain", "36.0.1763680000000"}).out,
            Ask({"explain", "36"}).out);
  for (const char* const id : {"36.0", "36.0.", "36.0.1.2", "36.x.1", "..1"}) {
    EXPECT_EQ(Ask({"explain", id}).exit, Exit::kBadInput) << id;
  }
}

TEST_F(DaemonSubcommands, ExplainOfAnUnknownJobCannotBeMet) {
  const CliResult result = Ask({"explain", "37"});
  EXPECT_EQ(result.exit, Exit::kCannotBeMet);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("job 37 is stored"));
}

TEST_F(DaemonSubcommands, MapView) {
  EXPECT_THAT(Ask({"map-view"}).out, testing::StartsWith("0 k .\n1 x k\n"));
  EXPECT_THAT(Ask({"map-view"}).out,
              HasSubstr("1 of 4 nodes free, 2 unavailable (x)\n"));
  const auto json = Ask({"map-view", "--json"}).Json();
  EXPECT_THAT(json.at("grid").at("dims"), ElementsAre(2, 2));
  EXPECT_TRUE(json.at("grid").at("short_vertices").empty());
  EXPECT_THAT(json.at("jobs").at(0).at("ids"), ElementsAre(0, 3));
  EXPECT_THAT(json.at("unavailable"), ElementsAre(2, 3));
}

}  // namespace
}  // namespace coolspan
