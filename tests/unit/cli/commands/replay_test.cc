// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "folders.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::HasSubstr;
using testing::Not;

// submit, run, processors
std::string Line(int number, int submit, int run, int processors) {
  return std::to_string(number) + " " + std::to_string(submit) + " -1 " +
         std::to_string(run) + " " + std::to_string(processors) +
         " -1 -1 -1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
}

class ReplayCommandTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    machine_ = WriteMesh("4, 2", "n[1-8]");
    // The second waits for the first; the third is backfilled.
    trace_ = WriteFile("trace.swf", "; UnixStartTime: 0\n" +
                                        Line(1, 0, 100, 6) + Line(2, 1, 50, 8) +
                                        Line(3, 2, 9, 2) + Line(4, 3, 0, 2) +
                                        Line(5, 4, 9, 0) + Line(6, 5, 9, 9));
  }
  CliResult Replay(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"replay", "--machine", machine_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCli(arguments);
  }
  CliResult ReplayTrace(std::vector<std::string> more) {
    more.insert(more.begin(), {"--trace", trace_, "--policy", "first-fit"});
    return Replay(more);
  }
  // The message of bad input.
  std::string Refusal(std::vector<std::string> more) {
    const CliResult result = Replay(more);
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    return result.err;
  }
  std::string RefusalOfTrace(std::vector<std::string> more) {
    more.insert(more.begin(), {"--trace", trace_, "--policy", "first-fit"});
    return Refusal(more);
  }

  std::string machine_;
  std::string trace_;
};

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

TEST_F(ReplayCommandTest, PoliciesAndSituationsExclude) {
  EXPECT_EQ(Refusal({"--trace", trace_}),
            "--policy is required (or --situation and --decision)\n");
  EXPECT_EQ(Refusal({"--trace", trace_, "--situation", "best-fit"}),
            "--situation: requires --decision, the policies to evaluate\n");
  EXPECT_EQ(Refusal({"--trace", trace_, "--decision", "best-fit"}),
            "--decision: requires --situation, the policies that place the "
            "jobs\n");
  EXPECT_EQ(RefusalOfTrace({"--situation", "best-fit", "--decision", "random"}),
            "--policy: not allowed with --situation\n");
  EXPECT_THAT(Refusal({"--trace", trace_, "--situation", "best-fit",
                       "--decision", "bestfit"}),
              HasSubstr("bestfit"));
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

TEST_F(ReplayCommandTest, FlagsWithoutEffectOnADaemonAreRefused) {
  const std::vector<std::string> daemon = {"--endpoint",
                                           "unix:///nonexistent/x.sock"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), daemon.begin(), daemon.end());
    return RefusalOfTrace(std::move(more));
  };
  EXPECT_EQ(with({"--alpha", "1"}),
            "--alpha: not allowed with --endpoint (expected in the policy "
            "name, bqp:alpha=1)\n");
  EXPECT_THAT(with({"--latency-matrix", WriteFile("l.txt",
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n"
                                                  "0 0 0 0 0 0 0 0\n")}),
              HasSubstr("expected latency_matrix in the daemon file"));
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
  EXPECT_THAT(result.out, HasSubstr("3 jobs in the trace, 3 skipped"));
  EXPECT_THAT(result.out, testing::ContainsRegex("first-fit +best-fit\njobs "));
  EXPECT_THAT(result.out, HasSubstr("mean_wait_s"));
  EXPECT_THAT(result.out, HasSubstr("decision_us_max"));
  EXPECT_THAT(result.out, Not(HasSubstr("_sumsq")));
  EXPECT_THAT(
      result.err,
      HasSubstr(
          "skipped 1 jobs larger than the machine of 8 nodes; the largest has "
          "9 nodes\n"));
}

TEST_F(ReplayCommandTest, WritesDecisions) {
  const std::string path = folder_ / "d.csv";
  EXPECT_EQ(ReplayTrace({"--decisions", path, "--ordering", "row-major"}).exit,
            Exit::kSuccess);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text,
            "policy,job,submit_s,start_s,end_s,nodes,pairwise_total,"
            "linear_span,ring_span,hostlist\n"
            "first-fit,1,0,0,100,6,29,6,6,n[1-6]\n"
            "first-fit,3,2,2,11,2,1,2,2,n[7-8]\n"
            "first-fit,2,1,100,150,8,56,8,8,n[1-8]\n");
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

TEST_F(ReplayCommandTest, BadValuesAreRefused) {
  EXPECT_EQ(
      RefusalOfTrace({"--scale-procs", "2/0"}),
      "--scale-procs: '2/0' is not valid (expected A/B with whole numbers from "
      "1 to 1048576)\n");
  for (const char* scale : {"", "/", "2/", "x", "1/2/3", "-1/2", "1.5"}) {
    EXPECT_THAT(RefusalOfTrace({std::string("--scale-procs=") + scale}),
                HasSubstr("--scale-procs"))
        << scale;
  }
  EXPECT_THAT(RefusalOfTrace({"--zero-run", "maybe"}),
              HasSubstr("expected skip or run"));
  for (const char* multiple : {"0", "-1", "nan", "inf", "x"}) {
    EXPECT_THAT(RefusalOfTrace({"--work-multiple", multiple}),
                HasSubstr("--work-multiple"))
        << multiple;
  }
  for (const char* number : {"0", "-1", "x", "1.5"}) {
    EXPECT_THAT(RefusalOfTrace({"--max-jobs", number}),
                HasSubstr("expected a whole number from 1"));
  }
  EXPECT_THAT(RefusalOfTrace({"--seed", "-1"}), HasSubstr("--seed: '-1'"));
  EXPECT_THAT(RefusalOfTrace({"--replicate", "0"}), HasSubstr("--replicate"));
  EXPECT_THAT(RefusalOfTrace({"--procs-per-node", "0"}),
              HasSubstr("--procs-per-node"));
  EXPECT_THAT(RefusalOfTrace({"--scheduler", "esay"}),
              HasSubstr("did you mean 'easy'?"));
  EXPECT_THAT(RefusalOfTrace({"--span", "x"}), HasSubstr("ring or linear"));
  EXPECT_THAT(Refusal({"--trace", trace_, "--policy", "no-such-policy"}),
              HasSubstr("no-such-policy"));
}

TEST_F(ReplayCommandTest, BadRuntimeOptionsAreRefused) {
  EXPECT_THAT(RefusalOfTrace({"--runtime-model", "sss"}),
              HasSubstr("--runtime-model: unknown name 'sss'; did you mean"));
  EXPECT_THAT(RefusalOfTrace({"--comm-cost", "ordered"}),
              HasSubstr("--comm-cost: only allowed with --runtime-model sst"));
  EXPECT_THAT(
      RefusalOfTrace({"--runtime-model", "bqp", "--runtime-noise", "0.01"}),
      HasSubstr("--runtime-noise: only allowed with --runtime-model sst"));
  EXPECT_THAT(RefusalOfTrace({"--runtime-model", "sst", "--comm-cost", "hops"}),
              HasSubstr("--comm-cost: 'hops' is not valid (expected ordered, "
                        "unordered or mean-hop)"));
  EXPECT_THAT(
      RefusalOfTrace({"--runtime-model", "sst", "--runtime-noise", "-1"}),
      HasSubstr("--runtime-noise: -1 is out of range (expected 0 to 0.0962)"));
  for (const char* share : {"-0.1", "1.5", "nan"}) {
    EXPECT_THAT(RefusalOfTrace({"--comm-share", share}),
                HasSubstr("--comm-share"));
  }
  EXPECT_THAT(RefusalOfTrace({"--idle", "off"}),
              HasSubstr("--idle: machine test has no thermal description"));
}

// A row of four nodes, each a zone that heats only itself by 10 mK/W; 100 W
// idle, 300 W computing, 200 W communicating.
class RoomReplayTest : public ReplayCommandTest {
 protected:
  void SetUp() override {
    ReplayCommandTest::SetUp();
    WriteFile("heat.txt", "0.01 0 0 0\n0 0.01 0 0\n0 0 0.01 0\n0 0 0 0.01\n");
    machine_ = WriteFile(
        "room.yaml",
        "name: room\ntopology: {kind: mesh, dims: [4]}\nnodes: \"n[1-4]\"\n"
        "node_types:\n  - {name: std, nodes: \"n[1-4]\", idle_w: 100, "
        "compute_w: 300, communicate_w: 200}\n"
        "communication_share: 0.5\n"
        "thermal: {heat_distribution: heat.txt, airflow_w_per_k: 60, "
        "supply_c: 15, redline_c: 30}\n");
    trace_ = WriteFile("trace.swf", Line(1, 0, 100, 3) + Line(2, 20, 50, 1));
  }
  nlohmann::json Run(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--json", "--ordering", "row-major"});
    return ReplayTrace(more).Json().at("runs")[0];
  }
};

TEST_F(RoomReplayTest, EnergyIsExactBetweenEvents) {
  const auto run = Run();
  EXPECT_EQ(run.at("runtime_model"), "none");
  EXPECT_EQ(run.at("comm_share"), 0.5);
  EXPECT_EQ(run.at("idle"), "on");
  const auto& metrics = run.at("metrics");
  // 250 W raise the inlet to 17.5 C, so the supply may be at 27.5 C.
  const double cop = 0.0068 * 27.5 * 27.5 + 0.0008 * 27.5 + 0.458;
  EXPECT_NEAR(metrics.at("peak_inlet_c"), 17.5, 1e-9);
  EXPECT_NEAR(metrics.at("supply_max_c"), 27.5, 1e-9);
  EXPECT_NEAR(metrics.at("it_w"), (850 + 1000) / 2.0, 1e-9);
  EXPECT_NEAR(metrics.at("cooling_w"), 925 / cop, 1e-6);
  EXPECT_NEAR(metrics.at("cooling_w_max"), 1000 / cop, 1e-6);
  EXPECT_NEAR(metrics.at("it_w_tw"), (850 * 100 + 1000 * 50) / 150.0, 1e-9);
  const double it_j = 850 * 20 + 1000 * 50 + 850 * 30;
  EXPECT_NEAR(metrics.at("it_energy_j"), it_j, 1e-6);
  EXPECT_NEAR(metrics.at("cooling_energy_j"), it_j / cop, 1e-3);
  EXPECT_NEAR(metrics.at("total_energy_j"), it_j + it_j / cop, 1e-3);
  EXPECT_NEAR(metrics.at("mean_cooling_w"), it_j / cop / 100, 1e-5);
  EXPECT_EQ(metrics.at("cop_not_sensible_s"), 0);
}

TEST_F(RoomReplayTest, OptionsChangeTheRoom) {
  const auto off = Run({"--idle", "off", "--comm-share", "1"});
  EXPECT_EQ(off.at("idle"), "off");
  EXPECT_EQ(off.at("comm_share"), 1);
  EXPECT_NEAR(off.at("metrics").at("it_energy_j"),
              600 * 20 + 800 * 50 + 600 * 30, 1e-6);
  EXPECT_THAT(RefusalOfTrace({"--idle", "maybe"}),
              HasSubstr("--idle: 'maybe' is not valid (expected on or off)"));
}

TEST_F(RoomReplayTest, LongerCommunicationChangesPower) {
  // The third of three nodes is far off: hops 1, 3, 2 where 1, 2, 1 are ideal.
  const std::string blocker = Line(1, 0, 1000, 2) + Line(2, 0, 10, 1) +
                              Line(3, 1, 1, 1) + Line(4, 20, 100, 2);
  trace_ = WriteFile("far.swf", blocker);
  WriteFile("order.txt", "n1 n3 n2 n4");
  const auto run = [this](const std::string& model) {
    return ReplayTrace({"--json", "--runtime-model", model, "--ordering",
                        "file:" + (folder_ / "order.txt").string()})
        .Json()
        .at("runs")[0];
  };
  // Jobs 1 and 4 are two hops wide.
  EXPECT_NEAR(run("none").at("metrics").at("mean_runtime_s"), 1111 / 4.0, 1e-9);
  const auto bqp = run("bqp");
  EXPECT_EQ(bqp.at("runtime_model"), "bqp");
  EXPECT_NEAR(bqp.at("metrics").at("mean_runtime_s"), (1500 + 150 + 11) / 4.0,
              1e-9);
  // Two thirds of job 1 is communication: 233 1/3 W a node, as steps of 1/16 W;
  // half of jobs 2 and 3, which run beside it.
  EXPECT_NEAR(bqp.at("metrics").at("it_w_max"), 2 * 233.3125 + 2 * 250, 1e-9);
  const auto sst = run("sst");
  EXPECT_EQ(sst.at("comm_cost_reading"), "ordered");
  EXPECT_EQ(sst.at("runtime_noise"), 0);
  EXPECT_NEAR(sst.at("metrics").at("mean_runtime_s"),
              (1100 * (1 + 0.5 * (0.9875 + 0.1924 - 1)) + 11) / 4, 1e-3);
}

TEST_F(RoomReplayTest, TextNamesTheRuntimeOptions) {
  const CliResult result = ReplayTrace(
      {"--runtime-model", "sst", "--comm-cost", "mean-hop", "--idle", "off"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("runtime model sst (communication cost: mean-hop, noise 0), "
                "communication share 0.5, idle nodes off\n"));
  EXPECT_THAT(result.out, HasSubstr("cooling_energy_j"));
}

TEST_F(ReplayCommandTest, BadTracesAreRefused) {
  const auto refusal = [this](const std::string& text) {
    const std::string path = WriteFile("bad.swf", text);
    std::string message = Refusal({"--trace", path, "--policy", "first-fit"});
    EXPECT_EQ(message.find(path + ":"), 0U) << message;
    return message;
  };
  EXPECT_THAT(refusal("1 2 3\n"), HasSubstr(":1: 3 fields (expected 18"));
  EXPECT_THAT(refusal("\x7f"
                      "ELF\x02\x01\n"),
              HasSubstr("binary data"));
  EXPECT_THAT(refusal("\x1f\x8b\x08"), HasSubstr("gzip stream is truncated"));
  EXPECT_THAT(refusal(""), HasSubstr("no jobs"));
  EXPECT_THAT(refusal(Line(1, 0, 100, 6) + std::string(70'000, '1')),
              HasSubstr(":2: line is too long (expected at most 65536 bytes)"));
  EXPECT_THAT(Refusal({"--trace", "/nonexistent", "--policy", "first-fit"}),
              HasSubstr("/nonexistent: cannot open file"));
}

TEST_F(ReplayCommandTest, NothingIsWrittenWhenTheTraceIsBad) {
  const std::string bad = WriteFile("bad.swf", "1 2 3\n");
  const std::string decisions = folder_ / "d.csv";
  Refusal({"--trace", bad, "--policy", "first-fit", "--decisions", decisions});
  EXPECT_FALSE(std::filesystem::exists(decisions));
}

TEST_F(ReplayCommandTest, AnAbsentDaemonIsUnreachable) {
  const CliResult result =
      ReplayTrace({"--endpoint", "unix:///nonexistent/coolspand.sock"});
  EXPECT_EQ(result.exit, Exit::kUnreachable);
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
}

TEST_F(ReplayCommandTest, EveryOptionIsInItsManPage) {
  std::ifstream file(SourceDir() / "docs/man/coolspan-replay.1");
  std::string page{std::istreambuf_iterator<char>(file), {}};
  std::erase(page, '\\');
  const CommandLine command_line;
  for (const CLI::Option* option :
       command_line.app().get_subcommand("replay")->get_options()) {
    if (option->get_name() == "--help") continue;
    EXPECT_THAT(page, HasSubstr(option->get_name()));
  }
}

TEST_F(ReplayCommandTest, ATraceOfSkippedJobsIsAnAnswer) {
  trace_ = WriteFile("skipped.swf", Line(1, 0, 0, 4));
  const auto json = ReplayTrace({"--json"}).Json();
  EXPECT_EQ(json["trace"]["skipped"], 1);
  EXPECT_EQ(json["runs"][0]["jobs"], 0);
  EXPECT_TRUE(json["runs"][0]["metrics"]["mean_wait_s"].is_null());
}

}  // namespace
}  // namespace coolspan
