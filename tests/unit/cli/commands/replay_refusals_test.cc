// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

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

TEST_F(ReplayCommandTest, SegmentsThatNoBlockHoldsAreRefused) {
  EXPECT_EQ(RefusalOfTrace({"--segment-nodes", "2"}),
            "--segment-nodes: the machine has no blocks (expected "
            "topology.kind: blocks)\n");
  WriteFile("topology.conf",
            "BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-8]\n");
  const std::string blocks =
      "name: x\ntopology: {kind: blocks, slurm_topology: topology.conf";
  machine_ = WriteFile("blocks.yaml", blocks + "}\n");
  for (const std::string bad : {"0", "5", "-1", "2.5", "jobs"}) {
    EXPECT_EQ(RefusalOfTrace({"--segment-nodes=" + bad}),
              "--segment-nodes: '" + bad +
                  "' is not valid (expected job, or a whole number from 1 to "
                  "4, the nodes of a base block)\n");
  }
  machine_ = WriteFile("spare.yaml", blocks + ", spare_nodes: 1}\n");
  EXPECT_THAT(RefusalOfTrace({"--segment-nodes", "4"}),
              HasSubstr("from 1 to 3, the nodes of a base block without its "
                        "spare nodes)"));
  EXPECT_THAT(Refusal({"--trace", trace_, "--policy", "recorded",
                       "--segment-nodes", "2"}),
              HasSubstr("--segment-nodes: not allowed with policy recorded"));
}

TEST_F(ReplayCommandTest, FlagsOfOtherPoliciesAreRefused) {
  EXPECT_EQ(Refusal({"--trace", trace_, "--policy", "first-fit,mm", "--epsilon",
                     "0.5"}),
            "--epsilon: not an option of first-fit, mm (expected policy "
            "ptas)\n");
  EXPECT_EQ(Replay({"--trace", trace_, "--policy", "first-fit,ptas",
                    "--epsilon", "0.5"})
                .exit,
            Exit::kSuccess);
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
                HasSubstr("expected a whole number of at least 1)"));
  }
  EXPECT_THAT(RefusalOfTrace({"--replicate", "2000000"}),
              HasSubstr("(expected a whole number from 1 to 1048576)"));
  EXPECT_THAT(RefusalOfTrace({"--seed", "-1"}), HasSubstr("--seed: '-1'"));
  EXPECT_EQ(Refusal({"--trace", trace_, "--policy", "random,mm,random"}),
            "--policy: random is listed more than once\n");
  EXPECT_THAT(RefusalOfTrace({"--scheduler", "easy,easy"}),
              HasSubstr("--scheduler: easy is listed more than once"));
  EXPECT_EQ(RefusalOfTrace({"--seed", "4,1-5"}),
            "--seed: 4 is in '4,1-5' more than once\n");
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
  EXPECT_THAT(
      RefusalOfTrace({"--runtime-model", "sst", "--send-gb-per-s", "2"}),
      HasSubstr(
          "--send-gb-per-s: only allowed with --runtime-model contention"));
  EXPECT_THAT(
      RefusalOfTrace({"--runtime-model", "contention", "--routes", "short"}),
      HasSubstr(
          "--routes: 'short' is not valid (expected minimal or valiant)"));
  EXPECT_THAT(
      RefusalOfTrace({"--runtime-model", "contention", "--link-gb-per-s", "0"}),
      HasSubstr("--link-gb-per-s: 0 is out of range (expected 1e-06 to"));
  EXPECT_THAT(RefusalOfTrace({"--idle", "off"}),
              HasSubstr("--idle: machine test has no thermal description"));
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
  EXPECT_THAT(refusal(SwfLine(1, 0, 100, 6) + std::string(70'000, '1')),
              HasSubstr(":2: line is too long (expected at most 65536 bytes)"));
  EXPECT_THAT(Refusal({"--trace", "/nonexistent", "--policy", "first-fit"}),
              HasSubstr("/nonexistent: cannot open file"));
}

TEST_F(ReplayCommandTest, OutputsThatReplaceAnotherFileAreRefused) {
  const auto content = [](const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string trace = WriteFile("kept.swf", SwfLine(1, 0, 100, 2));
  const std::string link = trace + ".link";
  std::filesystem::create_symlink(trace, link);
  const std::string kept = content(trace);
  for (const char* const option :
       {"--decisions", "--series", "--summary", "--report", "--checkpoint"}) {
    for (const std::string& path : {trace, link}) {
      EXPECT_EQ(
          Refusal({"--trace", trace, "--policy", "first-fit", option, path}),
          std::string(option) + ": " + path +
              " is the file of --trace (expected another one)\n");
    }
  }
  EXPECT_EQ(content(trace), kept);
  const std::string fresh = trace + ".new";
  EXPECT_THAT(RefusalOfTrace({"--decisions", fresh, "--summary", fresh}),
              HasSubstr("--summary: " + fresh + " is the file of --decisions"));
  EXPECT_FALSE(std::filesystem::exists(fresh));
  EXPECT_EQ(Replay({"--trace", trace, "--policy", "first-fit", "--decisions",
                    "/dev/null", "--summary", "/dev/null"})
                .exit,
            Exit::kSuccess);
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

}  // namespace
}  // namespace coolspan
