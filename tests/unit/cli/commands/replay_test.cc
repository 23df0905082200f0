// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "folders.h"
#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ReplayCommandTest, JsonHasTheFieldsUsersScriptAgainst) {
  const auto json =
      Replay({"--trace", trace_, "--policy", "first-fit,best-fit", "--json"})
          .Json();
  const auto& trace = json.at("trace");
  EXPECT_EQ(trace.at("jobs"), 3);
  EXPECT_EQ(trace.at("skipped"), 3);
  EXPECT_EQ(trace.at("skipped_by").at("zero_run"), 1);
  EXPECT_EQ(trace.at("skipped_by").at("zero_procs"), 1);
  EXPECT_EQ(trace.at("skipped_by").at("too_large"), 1);
  EXPECT_EQ(trace.at("reordered"), 0);
  EXPECT_EQ(trace.at("extra_fields"), 0);
  ASSERT_EQ(json.at("runs").size(), 2U);
  EXPECT_EQ(json.at("runs")[1].at("policy"), "best-fit");
  const auto& run = json.at("runs")[0];
  EXPECT_EQ(run.at("policy"), "first-fit");
  EXPECT_EQ(run.at("ordering"), "hilbert");
  EXPECT_EQ(run.at("scheduler"), "easy");
  EXPECT_EQ(run.at("jobs"), 3);
  EXPECT_GT(run.at("wall_s"), 0);
  EXPECT_GT(run.at("peak_rss_mb"), 0);
  const auto& metrics = run.at("metrics");
  for (const std::string metric :
       {"pairwise_total", "pairwise_mean", "comm_cost", "linear_span",
        "ring_span", "stretch_span", "box_size", "box_dims_sum", "box_cube",
        "box_expansion", "cube_expansion", "components"}) {
    for (const std::string suffix : {"", "_max", "_sumsq", "_tw", "_n2"}) {
      EXPECT_TRUE(metrics.at(metric + suffix).is_number()) << metric << suffix;
    }
  }
  EXPECT_EQ(metrics.at("makespan_s"), 150);
  EXPECT_EQ(metrics.at("mean_wait_s"), 33);
  EXPECT_EQ(metrics.at("mean_runtime_s"), 53);
  EXPECT_EQ(metrics.at("mean_turnaround_s"), 86);
  EXPECT_EQ(metrics.at("throughput_jobs_per_h"), 72);
  EXPECT_DOUBLE_EQ(metrics.at("utilization"), (600 + 400 + 18) / 1200.0);
  for (const char* key : {"decision_us_p50", "decision_us_p99",
                          "decision_us_max", "replay_jobs_per_s"}) {
    EXPECT_GT(metrics.at(key), 0) << key;
  }
}

TEST_F(ReplayCommandTest, SituationsAndDecisionsMakeAMatrix) {
  const auto json =
      Replay({"--trace", trace_, "--situation", "first-fit,random",
              "--decision", "best-fit,random,free-list", "--json"})
          .Json();
  EXPECT_EQ(json.at("trace").at("jobs"), 3);
  const auto& runs = json.at("runs");
  ASSERT_EQ(runs.size(), 6U);
  EXPECT_EQ(runs[1].at("situation"), "first-fit");
  EXPECT_EQ(runs[1].at("policy"), "random");
  EXPECT_EQ(runs[3].at("situation"), "random");
  EXPECT_EQ(runs[3].at("policy"), "best-fit");
  EXPECT_EQ(runs[3].at("ordering"), "hilbert");
  EXPECT_EQ(runs[3].at("scheduler"), "easy");
  EXPECT_EQ(runs[3].at("jobs"), 3);
  EXPECT_GT(runs[3].at("wall_s"), 0);
  for (const auto& run : runs) {
    // Of 6, 2 and 8 nodes of a 4 x 2 mesh; the second is the rest of it.
    EXPECT_GE(run.at("metrics").at("pairwise_total"), (25 + 1 + 56) / 3.0);
    EXPECT_EQ(run.at("metrics").at("mean_wait_s"), 33);
    EXPECT_TRUE(run.at("metrics").at("ring_span_tw").is_number());
  }
}

TEST_F(ReplayCommandTest, TextHasAMatrix) {
  const CliResult result =
      Replay({"--trace", trace_, "--ordering", "row-major", "--situation",
              "first-fit,free-list", "--decision", "first-fit"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("mean pairwise_total over 3 jobs; rows: placing "
                        "policy; columns: evaluated policy\n"));
  EXPECT_THAT(result.out, testing::ContainsRegex("situation +first-fit\n"
                                                 "first-fit +28\\.67\n"
                                                 "free-list +28\\.67\n"));
}

TEST_F(ReplayCommandTest, DecisionsOfAMatrixAreThoseOfItsSituations) {
  const std::string matrix = folder_ / "matrix.csv";
  const std::string plain = folder_ / "plain.csv";
  EXPECT_EQ(Replay({"--trace", trace_, "--situation", "random,best-fit",
                    "--decision", "first-fit", "--decisions", matrix})
                .exit,
            Exit::kSuccess);
  EXPECT_EQ(Replay({"--trace", trace_, "--policy", "random,best-fit",
                    "--decisions", plain})
                .exit,
            Exit::kSuccess);
  std::ifstream one(matrix);
  std::ifstream two(plain);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(one), {}),
            std::string(std::istreambuf_iterator<char>(two), {}));
}

TEST_F(ReplayCommandTest, OnePolicyWithSeveralNumbersInOneCall) {
  const CliResult result =
      Replay({"--trace", trace_, "--json", "--policy",
              "ptas:epsilon=0.2,bqp:alpha=1:beta=0,bqp:alpha=2:beta=0"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const auto runs = result.Json().at("runs");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].at("policy"), "ptas:epsilon=0.2");
  EXPECT_EQ(runs[1].at("policy"), "bqp:alpha=1:beta=0");
  EXPECT_EQ(runs[2].at("policy"), "bqp:alpha=2:beta=0");
  EXPECT_EQ(runs[1].at("metrics").at("pairwise_total"),
            runs[2].at("metrics").at("pairwise_total"));
}

TEST_F(ReplayCommandTest, EveryRunOfTheLists) {
  const auto json = Replay({"--trace", trace_, "--policy", "first-fit,best-fit",
                            "--ordering", "row-major,hilbert", "--scheduler",
                            "fcfs,easy", "--seed", "1,4-5", "--json"})
                        .Json();
  const auto& runs = json.at("runs");
  ASSERT_EQ(runs.size(), 24U);
  EXPECT_EQ(runs[0].at("scheduler"), "fcfs");
  EXPECT_EQ(runs[23].at("scheduler"), "easy");
  EXPECT_EQ(runs[0].at("ordering"), "row-major");
  EXPECT_EQ(runs[6].at("ordering"), "hilbert");
  EXPECT_EQ(runs[3].at("policy"), "best-fit");
  EXPECT_EQ(runs[2].at("seed"), 5);
  const auto& groups = json.at("groups");
  ASSERT_EQ(groups.size(), 8U);
  EXPECT_EQ(groups[7].at("seeds"), nlohmann::json({1, 4, 5}));
  EXPECT_EQ(groups[0].at("metrics").at("mean_wait_s").at("mean"), 247 / 3.0);
  EXPECT_EQ(groups[0].at("metrics").at("mean_wait_s").at("ci95"), 0);
  EXPECT_FALSE(groups[0].contains("difference_to_first"));
  EXPECT_NEAR(groups[4].at("difference_to_first").at("mean_wait_s").at("mean"),
              33 - 247 / 3.0, 1e-9);
}

TEST_F(ReplayCommandTest, SeedsMoveTheArrivals) {
  const CliResult result = ReplayTrace({"--jitter", "50", "--seed", "1-3"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out, testing::ContainsRegex("seeds +3\n"));
  EXPECT_THAT(result.out,
              testing::ContainsRegex("mean_wait_s +[0-9.]+ \\+-[1-9]"));
  EXPECT_EQ(RefusalOfTrace({"--seed", "3-1"}),
            "--seed: '3-1' is not valid (expected whole numbers and ranges as "
            "in 1,5-8; at most 10000 in total)\n");
}

TEST_F(ReplayCommandTest, NodeTypesAndRoomsAreRefusedWhereThereAreNone) {
  EXPECT_EQ(RefusalOfTrace({"--deadline-by", "wait"}),
            "--deadline-by: 'wait' is not valid (expected run or estimate)\n");
  EXPECT_EQ(
      RefusalOfTrace({"--node-types-by", "queue"}),
      "--node-types-by: 'queue' is not valid (expected none or partition)\n");
  EXPECT_EQ(RefusalOfTrace({"--node-types-by", "partition"}),
            "--node-types-by: the machine has no room (expected thermal: and "
            "node_types: in the machine file)\n");
  EXPECT_EQ(RefusalOfTrace({"--scheduler", "easy,scint"}),
            "--scheduler: scint needs a room (expected thermal: in the machine "
            "file)\n");
}

TEST_F(ReplayCommandTest, WideTablesContinueBelow) {
  const CliResult result = Replay(
      {"--trace", trace_, "--policy",
       "first-fit,best-fit,free-list,mc1x1,mm,mm-inc,random,sum-of-squares"});
  std::istringstream lines(result.out);
  std::size_t headings = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    if (line.starts_with("metric (mean over jobs, or total)")) ++headings;
  }
  EXPECT_GE(headings, 2U);
  EXPECT_THAT(result.out, HasSubstr("sum-of-squares"));
}

TEST_F(ReplayCommandTest, TheSchedulerMatters) {
  const auto wait = [this](const std::string& scheduler) {
    return ReplayTrace({"--scheduler", scheduler, "--json"})
        .Json()["runs"][0]["metrics"]["mean_wait_s"]
        .get<double>();
  };
  EXPECT_DOUBLE_EQ(wait("easy"), 33);
  EXPECT_DOUBLE_EQ(wait("fcfs"), (99 + 148) / 3.0);
}

TEST_F(ReplayCommandTest, TextHasATable) {
  const CliResult result =
      Replay({"--trace", trace_, "--policy", "first-fit,best-fit"});
  EXPECT_EQ(result.exit, Exit::kSuccess);
  EXPECT_THAT(
      result.out,
      HasSubstr(
          "3 jobs in the trace; 3 skipped (1 zero run time, 1 zero processors, "
          "1 too large)"));
  EXPECT_THAT(result.out, testing::ContainsRegex("first-fit +best-fit\njobs "));
  EXPECT_THAT(result.out, HasSubstr("mean_wait_s"));
  EXPECT_THAT(result.out, HasSubstr("decision_us_max"));
  EXPECT_THAT(result.out, Not(HasSubstr("_sumsq")));
  EXPECT_THAT(result.out, testing::ContainsRegex("pairwise_mean_n2 +[0-9.]+"));
  EXPECT_THAT(
      result.err,
      HasSubstr(
          "skipped 1 job larger than the machine of 8 nodes; the largest has "
          "9 nodes (all fit with --procs-per-node 2)\n"));
}

TEST_F(ReplayCommandTest, NotesAMachineThatTheJobsSaturate) {
  const auto notes = [this](const std::string& procs_per_node,
                            int second_submit = 0) {
    const std::string trace = WriteFile(
        "many.swf", SwfLine(1, 0, 100, 9) + SwfLine(2, second_submit, 100, 9) +
                        SwfLine(3, 50, 100, 9));
    return Replay({"--trace", trace, "--policy", "first-fit",
                   "--procs-per-node", procs_per_node})
        .err;
  };
  EXPECT_EQ(notes("2"),
            "note: the jobs need 1.25 times the node hours that the machine "
            "has between the first and the last submit; waits grow with the "
            "length of the trace\n"
            "note: rounding up to whole nodes (--procs-per-node) makes them "
            "1.11 times as large as their processors\n");
  EXPECT_EQ(notes("9"), "");
  // What runs after the last submit does not count.
  EXPECT_EQ(notes("2", 50), "");
}

TEST_F(ReplayCommandTest, NotesEstimatesThatTheTraceDoesNotHave) {
  const std::string with = "2 9 -1 100 2 -1 -1 -1 200 -1 1 1 1 1 1 -1 -1 -1\n";
  const std::string trace =
      WriteFile("few.swf", SwfLine(1, 0, 100, 2) + with + SwfLine(3, 9, 9, 2));
  const auto replay = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--trace", trace});
    return Replay(more);
  };
  EXPECT_EQ(replay({"--policy", "mm,coolspan:rate=0"}).err,
            "note: coolspan uses estimates; 2 of 3 jobs have none in the "
            "trace, and their exact run times are used (see --estimates)\n");
  EXPECT_EQ(replay({"--policy", "mm"}).err, "");
  EXPECT_EQ(replay({"--policy", "coolspan", "--estimates", "user-mean"}).err,
            "");
  const CliResult json = replay({"--policy", "mm", "--json"});
  EXPECT_EQ(json.Json()["trace"]["without_estimate"], 2);
}

TEST_F(ReplayCommandTest, NotesOptionsWithoutEffect) {
  const std::string trace =
      WriteFile("few.swf", SwfLine(1, 0, 100, 2) + SwfLine(2, 50, 100, 2));
  const auto notes = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--trace", trace});
    return Replay(more).err;
  };
  const std::string seeds =
      "note: all seeds give the same runs; seeds are for random policies, "
      "--jitter and --replicate\n";
  EXPECT_EQ(notes({"--policy", "first-fit", "--seed", "1-3"}), seeds);
  EXPECT_EQ(notes({"--policy", "first-fit", "--seed", "1-3", "--jitter", "60"}),
            "");
  EXPECT_EQ(notes({"--policy", "first-fit", "--scheduler", "edf"}),
            "note: edf: no job has a deadline (see --deadline-factor), so it "
            "is fcfs\n");
  EXPECT_EQ(notes({"--policy", "first-fit", "--scheduler", "edf",
                   "--deadline-factor", "2"}),
            "");
  EXPECT_THAT(notes({"--policy", "first-fit", "--warm-up", "1000"}),
              HasSubstr("warning: all jobs were submitted during --warm-up"));
  // As written by a spreadsheet.
  const std::string events =
      WriteFile("late.csv",
                "\xEF\xBB\xBFtime_s,state,nodes\r\n9,down,n1\r\n"
                "1700000000,resume,n1\r\n");
  EXPECT_EQ(notes({"--policy", "first-fit", "--node-events", events}),
            "note: 1 of 2 node events are after the end of all runs; the "
            "trace goes from 0 to 150 s on its clock\n");
}

TEST_F(ReplayCommandTest, DecisionsThatStopEarlyAreCounted) {
  const std::string machine = WriteFile(
      "large.yaml",
      "name: m\ntopology: {kind: mesh, dims: [20, 20]}\nnodes: n[1-400]\n");
  const std::string trace = WriteFile("large.swf", SwfLine(1, 0, 100, 100));
  const CliResult result = RunCli({"replay", "--machine", machine, "--trace",
                                   trace, "--policy", "exact,mm", "--json"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const auto runs = result.Json().at("runs");
  EXPECT_EQ(runs.at(0).at("metrics").at("decisions_stopped_early"), 1);
  EXPECT_EQ(runs.at(1).at("metrics").at("decisions_stopped_early"), 0);
  EXPECT_EQ(result.err,
            "note: exact: 1 of 1 decision stopped early, at the limit of work "
            "in a replay; more work might have found better nodes\n");
}

TEST_F(ReplayCommandTest, WindowsWarmUpDeadlinesAndNodeEvents) {
  const std::string trace = WriteFile(
      "window.swf", SwfLine(1, 0, 100, 8) + SwfLine(2, 10, 100, 8) +
                        SwfLine(3, 20, 100, 8) + SwfLine(4, 900, 100, 8));
  const std::string events =
      WriteFile("events.csv", "time_s,state,nodes\n110,down,1\n130,resume,1\n");
  const CliResult result =
      Replay({"--trace", trace, "--policy", "first-fit", "--from", "5",
              "--until", "900", "--warm-up", "5", "--deadline-factor", "2",
              "--node-events", events, "--json"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const auto json = result.Json();
  EXPECT_EQ(json.at("trace").at("skipped_by").at("outside_window"), 2);
  const auto& run = json.at("runs").at(0);
  EXPECT_EQ(run.at("jobs"), 1);
  const auto& metrics = run.at("metrics");
  // Job 2 runs from 10 to 110, where it ends before the node fails.
  EXPECT_EQ(metrics.at("mean_wait_s"), 110);
  EXPECT_EQ(metrics.at("requeues"), 0);
  EXPECT_EQ(metrics.at("deadlines_missed"), 1);
  const CliResult wrong = Replay({"--trace", trace, "--policy", "first-fit",
                                  "--from", "5", "--until", "5"});
  EXPECT_EQ(wrong.exit, Exit::kBadInput);
  EXPECT_THAT(wrong.err, HasSubstr("--until: not after --from"));
  EXPECT_EQ(Replay({"--trace", trace, "--policy", "first-fit", "--node-events",
                    trace})
                .exit,
            Exit::kBadInput);
}

TEST_F(ReplayCommandTest, WarnsIfAllJobsAreSkipped) {
  const std::string trace =
      WriteFile("skipped.swf", SwfLine(1, 0, 0, 2) + SwfLine(2, 1, 9, 9));
  const CliResult result = Replay({"--trace", trace, "--policy", "first-fit"});
  EXPECT_EQ(result.exit, Exit::kSuccess);
  EXPECT_THAT(result.err,
              testing::EndsWith("warning: all 2 jobs are skipped; nothing to "
                                "replay\n"));
}

TEST_F(ReplayCommandTest, WritesDecisions) {
  const std::string path = folder_ / "d.csv";
  EXPECT_EQ(ReplayTrace({"--decisions", path, "--ordering", "row-major"}).exit,
            Exit::kSuccess);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text,
            "policy,job,submit_s,start_s,end_s,nodes,pairwise_total,"
            "linear_span,ring_span,hostlist,ordering,scheduler,seed\n"
            "first-fit,1,0,0,100,6,29,6,6,n[1-6],row-major,easy,0\n"
            "first-fit,3,2,2,11,2,1,2,2,n[7-8],row-major,easy,0\n"
            "first-fit,2,1,100,150,8,56,8,8,n[1-8],row-major,easy,0\n");
}

TEST_F(ReplayCommandTest, WorkloadOptionsReachTheWorkload) {
  const auto jobs = [this](std::vector<std::string> more) {
    more.push_back("--json");
    return ReplayTrace(more).Json()["runs"][0]["jobs"].get<int>();
  };
  EXPECT_EQ(jobs({"--max-jobs", "2"}), 2);
  EXPECT_EQ(jobs({"--zero-run", "run"}), 4);
  EXPECT_EQ(jobs({"--scale-procs", "1/2"}), 4);
  EXPECT_EQ(jobs({"--procs-per-node", "9"}), 4);
  EXPECT_EQ(jobs({"--replicate", "3"}), 9);
  EXPECT_EQ(ReplayTrace({"--work-multiple", "2", "--json"})
                .Json()["runs"][0]["metrics"]["mean_runtime_s"],
            106);
}

TEST_F(ReplayCommandTest, ItsManPageNamesItsOptions) {
  std::ifstream file(SourceDir() / "docs/man/coolspan-replay.1");
  std::string page{std::istreambuf_iterator<char>(file), {}};
  std::erase(page, '\\');
  static const std::regex kOption("--[a-z][-a-z]*");
  const std::set<std::string> named(
      std::sregex_token_iterator(page.begin(), page.end(), kOption), {});
  const CommandLine command_line;
  const CLI::App& replay = *command_line.app().get_subcommand("replay");
  for (const CLI::Option* option : replay.get_options()) {
    const std::string name = option->get_name();
    EXPECT_TRUE(name == "--help" || named.contains(name)) << name;
  }
  // The page also names commands that make what a replay reads.
  const CLI::App& generate = *command_line.app().get_subcommand("generate");
  for (const std::string& name : named) {
    EXPECT_TRUE(replay.get_option_no_throw(name) != nullptr ||
                generate.get_option_no_throw(name) != nullptr)
        << name;
  }
}

TEST_F(ReplayCommandTest, ATraceOfSkippedJobsIsAnAnswer) {
  trace_ = WriteFile("skipped.swf", SwfLine(1, 0, 0, 4));
  const auto json = ReplayTrace({"--json"}).Json();
  EXPECT_EQ(json["trace"]["skipped"], 1);
  EXPECT_EQ(json["runs"][0]["jobs"], 0);
  EXPECT_TRUE(json["runs"][0]["metrics"]["mean_wait_s"].is_null());
}

// The third job starts beside the first on the other side of the mesh.
TEST_F(ReplayCommandTest, ContentionIsNamedWithItsNumbers) {
  const std::vector<std::string> options = {"--runtime-model", "contention",
                                            "--comm-share",    "1",
                                            "--send-gb-per-s", "3"};
  std::vector<std::string> with_json = options;
  with_json.push_back("--json");
  const auto json = ReplayTrace(with_json).Json();
  const auto& run = json.at("runs")[0];
  EXPECT_EQ(run.at("runtime_model"), "contention");
  EXPECT_EQ(run.at("link_gb_per_s"), 1);
  EXPECT_EQ(run.at("send_gb_per_s"), 3);
  EXPECT_EQ(run.at("oversubscription"), 1);
  EXPECT_EQ(run.at("routes"), "minimal");
  EXPECT_EQ(run.at("metrics").at("stretched_jobs"), 3);
  EXPECT_GT(run.at("metrics").at("stretch"), 1);
  ASSERT_EQ(run.at("busiest_links").size(), 10U);
  const auto& busiest = run.at("busiest_links")[0];
  EXPECT_EQ(busiest.at("use"), run.at("metrics").at("busiest_link_use"));
  EXPECT_GE(busiest.at("use"), run.at("busiest_links")[1].at("use"));
  for (const char* key : {"from_vertex", "to_vertex", "sent_gb"}) {
    EXPECT_TRUE(busiest.at(key).is_number()) << key;
  }
  const CliResult text = ReplayTrace(options);
  EXPECT_THAT(text.out,
              HasSubstr("runtime model contention (links of 1 GB/s, nodes send "
                        "3 GB/s, routes minimal, oversubscription 1), "
                        "communication share 1\n"));
  EXPECT_THAT(text.out, HasSubstr("mean_link_use"));
}

// At 60 s the second job waits for the first, and the third has ended.
TEST_F(ReplayCommandTest, MapsShowJobsAndLinksAtAnInstant) {
  const auto run = ReplayTrace({"--map-at", "60", "--json", "--runtime-model",
                                "contention", "--send-gb-per-s", "0.5"})
                       .Json()
                       .at("runs")[0];
  const auto& map = run.at("map");
  EXPECT_EQ(map.at("time_s"), 60);
  ASSERT_EQ(map.at("jobs").size(), 1U);
  EXPECT_EQ(map.at("jobs")[0].at("job"), 1);
  EXPECT_EQ(map.at("jobs")[0].at("ids").size(), 6U);
  EXPECT_EQ(map.at("links").size(), 2U * (3 * 2 + 4));
  const CliResult text =
      ReplayTrace({"--map-at", "5", "--runtime-model", "contention"});
  EXPECT_THAT(text.out, HasSubstr("seed 0, at 5 s\n"));
  EXPECT_THAT(text.out, HasSubstr("job 1 running, 6 nodes"));
  EXPECT_THAT(text.out, HasSubstr("job 3 running, 2 nodes"));
  EXPECT_THAT(text.out, HasSubstr("use of links, tenths"));
  // Without links that jobs share, jobs alone.
  EXPECT_THAT(
      ReplayTrace({"--map-at", "5"}).out,
      AllOf(HasSubstr("job 3 running"), Not(HasSubstr("use of links"))));
}

}  // namespace
}  // namespace coolspan
