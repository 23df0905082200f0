// SPDX-License-Identifier: GPL-3.0-or-later
// coolspan replay of accounting: as it happened, and placed anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "scratch_file.h"
#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

using Json = nlohmann::json;

constexpr char kSacctHeader[] = "JobID|Submit|Start|End|NNodes|NodeList\n";

class ReplayRecordedTest : public ReplayCommandTest {
 protected:
  void SetUp() override {
    ReplayCommandTest::SetUp();
    // 3+0 shares n2 with 1 for 30 s.
    sacct_ = WriteFile("sacct.txt", std::string(kSacctHeader) +
                                        "1|0|10|60|2|n[2,7]\n"
                                        "1.batch|0|10|60|1|n2\n"
                                        "2_3|5|20|50|3|n[1,3,8]\n"
                                        "2_[4-6]|5|Unknown|Unknown|3|None "
                                        "assigned\n"
                                        "3+0|6|30|120|1|n2\n"
                                        "4|6|30|Unknown|1|n6\n");
    decisions_ = WriteFile("decisions.csv", "");
  }
  CliResult ReplaySacct(std::vector<std::string> more) {
    more.insert(more.begin(),
                {"--trace", sacct_, "--decisions", decisions_, "--json"});
    return Replay(more);
  }
  // job, submit_s, start_s, end_s and hostlist of each line.
  std::vector<std::string> Decisions() const {
    std::ifstream file(decisions_);
    std::string line;
    std::getline(file, line);
    std::vector<std::string> lines;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::string field;
      std::string kept;
      for (int i = 0; std::getline(fields, field, ',') && i < 6; ++i) {
        if (i > 0) kept += field + " ";
      }
      const std::size_t quote = line.find('"');
      if (quote != std::string::npos) {
        kept += line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
      }
      lines.push_back(kept);
    }
    return lines;
  }

  std::string sacct_;
  std::string decisions_;
};

TEST_F(ReplayRecordedTest, RepeatsWhatHappened) {
  const CliResult result =
      ReplaySacct({"--scheduler", "recorded", "--policy", "recorded"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(Decisions(), ::testing::ElementsAre("1 0 10 60 2 n[2,7]",
                                                  "2_3 5 20 50 3 n[1,3,8]",
                                                  // n2 was shared until 60
                                                  "3+0 6 60 150 1 "));
  const Json json = Json::parse(result.out);
  const Json& trace = json["trace"];
  EXPECT_EQ(trace["jobs"], 3);
  EXPECT_EQ(trace["skipped"], 3);
  EXPECT_EQ(trace["skipped_by"]["steps"], 1);
  EXPECT_EQ(trace["skipped_by"]["not_started"], 1);
  EXPECT_EQ(trace["skipped_by"]["unfinished"], 1);
  EXPECT_EQ(trace["sharing"], 2);
  const Json& metrics = json["runs"][0]["metrics"];
  EXPECT_EQ(metrics["late_jobs"], 1);
  EXPECT_EQ(metrics["mean_late_s"], 30);
  EXPECT_EQ(metrics["late_s_max"], 30);
  EXPECT_THAT(result.err, HasSubstr("2 jobs shared nodes with other jobs"));
  EXPECT_THAT(result.err, HasSubstr("1 job started later than recorded"));
}

TEST_F(ReplayRecordedTest, ReadsGzippedAccounting) {
  ASSERT_EQ(ReplaySacct({"--policy", "recorded"}).exit, Exit::kSuccess);
  const std::vector<std::string> plain = Decisions();
  std::ifstream text(sacct_);
  const std::string content((std::istreambuf_iterator<char>(text)), {});
  sacct_ = WriteFile("sacct.txt.gz", ScratchFile::Gzip(content));
  ASSERT_EQ(ReplaySacct({"--policy", "recorded"}).exit, Exit::kSuccess);
  EXPECT_EQ(Decisions(), plain);
  EXPECT_FALSE(plain.empty());
}

TEST_F(ReplayRecordedTest, PlacesTheSameStartsAnew) {
  const CliResult result =
      ReplaySacct({"--scheduler", "recorded", "--policy", "first-fit"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const std::vector<std::string> decisions = Decisions();
  ASSERT_EQ(decisions.size(), 3U);
  EXPECT_THAT(decisions[2], HasSubstr("3+0 6 30 120 1"));
  EXPECT_EQ(Json::parse(result.out)["runs"][0]["metrics"]["late_jobs"], 0);
}

TEST_F(ReplayRecordedTest, ComparesInSituations) {
  const CliResult result =
      ReplaySacct({"--scheduler", "recorded", "--situation", "recorded",
                   "--decision", "recorded,mc1x1"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][0]["policy"], "recorded");
  EXPECT_EQ(json["runs"][0]["jobs"], 3);
  // n[2,7] are two hops apart, and the best two are one.
  EXPECT_GT(json["runs"][0]["metrics"]["pairwise_total"],
            json["runs"][1]["metrics"]["pairwise_total"]);
}

TEST_F(ReplayRecordedTest, JobsOnUnknownNodesAreSkippedAndCounted) {
  sacct_ = WriteFile("other.txt", std::string(kSacctHeader) +
                                      "1|0|10|60|1|n2\n2|0|10|60|1|gpu7\n"
                                      "3|0|10|60|2|n3\n4|0|10|60|1|\n");
  const CliResult result =
      ReplaySacct({"--scheduler", "recorded", "--policy", "recorded,mc1x1"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["trace"]["skipped_by"]["unknown_nodes"], 3);
  EXPECT_EQ(json["runs"][1]["jobs"], 1);
  EXPECT_THAT(result.err,
              HasSubstr("other.txt:3: job 2: node gpu7 is not in the machine "
                        "file"));
  // Other policies need no nodes.
  const CliResult placed = ReplaySacct({"--policy", "mc1x1"});
  EXPECT_EQ(Json::parse(placed.out)["trace"]["jobs"], 4);
}

TEST_F(ReplayRecordedTest, RefusesWhatTheTraceDoesNotHave) {
  EXPECT_THAT(Refusal({"--trace", trace_, "--policy", "recorded"}),
              HasSubstr("does not name the nodes of jobs"));
  EXPECT_THAT(Refusal({"--trace", trace_, "--policy", "first-fit",
                       "--scheduler", "recorded"}),
              HasSubstr("has no start times"));
  EXPECT_THAT(Refusal({"--trace", sacct_, "--policy", "recorded",
                       "--scale-procs", "2"}),
              HasSubstr("--scale-procs: not allowed with policy recorded"));
  EXPECT_THAT(Refusal({"--trace", sacct_, "--policy", "first-fit",
                       "--procs-per-node", "2"}),
              HasSubstr("--procs-per-node: not allowed"));
  const std::string bad =
      WriteFile("bad.txt", std::string(kSacctHeader) + "1|0|10|60|1|n[2\n");
  EXPECT_THAT(Refusal({"--trace", bad, "--policy", "recorded"}),
              HasSubstr("bad.txt:2: job 1: nodes: "));
  const std::string unknown = WriteFile(
      "unknown.txt", std::string(kSacctHeader) + "1|0|10|60|1|gpu7\n");
  EXPECT_THAT(Refusal({"--trace", unknown, "--policy", "recorded"}),
              HasSubstr("unknown.txt:2: job 1: node gpu7 is not in the"));
}

// Only replay has it.
TEST_F(ReplayRecordedTest, AllocateDoesNotKnowThePolicy) {
  const CliResult result = RunCli({"allocate", "--machine", machine_,
                                   "--policy", "recorded", "--nodes", "1"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
}

}  // namespace
}  // namespace coolspan
