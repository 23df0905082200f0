// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/sacct_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "replay/input/sacct_fields.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using Use = TraceJob::Use;

constexpr char kHeader[] = "JobID|Submit|Start|End|NNodes|NodeList|State\n";

// A job with what views point to.
struct ReadJob {
  TraceJob job;
  std::string id;
  std::string nodes;
};

std::vector<ReadJob> ReadGood(const std::string& content) {
  const ScratchFile file(content);
  auto reader = OpenTrace(file.path());
  EXPECT_TRUE(reader.ok()) << reader.status();
  std::vector<ReadJob> jobs;
  while (reader.ok()) {
    const absl::StatusOr<bool> more = (*reader)->Next();
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    const TraceJob& job = (*reader)->job();
    jobs.push_back({job, std::string(job.id), std::string(job.nodes)});
  }
  return jobs;
}

TraceJob ReadOne(const std::string& content) {
  const std::vector<ReadJob> jobs = ReadGood(content);
  EXPECT_EQ(jobs.size(), 1U);
  return jobs.empty() ? TraceJob() : jobs.front().job;
}

// The message of the first error, without the file's name.
std::string ErrorOf(const std::string& content) {
  const ScratchFile file(content);
  auto reader = OpenTrace(file.path());
  absl::Status status = reader.status();
  while (status.ok()) {
    const absl::StatusOr<bool> more = (*reader)->Next();
    status = more.status();
    if (status.ok() && !*more) return "";
  }
  const std::string message(status.message());
  EXPECT_EQ(message.substr(0, file.path().size()), file.path());
  return message.substr(file.path().size());
}

std::string ErrorOfLine(const std::string& line) {
  return ErrorOf(kHeader + line + "\n");
}

TEST(SacctReaderTest, ReadsAJob) {
  const auto jobs = ReadGood(
      std::string(kHeader) +
      "7|2026-11-23T10:00:00|2026-11-23T10:00:30|2026-11-24T11:01:31|2|n[3,5]|"
      "COMPLETED\n");
  ASSERT_EQ(jobs.size(), 1U);
  const TraceJob& job = jobs[0].job;
  EXPECT_EQ(job.use, Use::kJob);
  EXPECT_EQ(jobs[0].id, "7");
  EXPECT_EQ(job.number, 7);
  EXPECT_EQ(job.submit_s, 1795428000);
  EXPECT_EQ(job.start_s, 1795428030);
  EXPECT_EQ(job.run_s, 90061);
  EXPECT_EQ(job.estimate_s, 90061);
  EXPECT_EQ(job.size, 2);
  EXPECT_EQ(jobs[0].nodes, "n[3,5]");
  EXPECT_EQ(job.user, -1);
}

TEST(SacctReaderTest, ColumnsInAnyOrderWithATrailingBarAndOthers) {
  const TraceJob job = ReadOne(
      "ConsumedEnergy|End|Partition|AllocNodes|Start|TimelimitRaw|Submit|UID|"
      "GID|JobIDRaw|JobID|\n"
      "4K|160|batch|3|100|5|90|1000|50|15|12_3|\n");
  EXPECT_EQ(job.use, Use::kJob);
  EXPECT_EQ(job.number, 15);
  EXPECT_EQ(job.submit_s, 90);
  EXPECT_EQ(job.run_s, 60);
  EXPECT_EQ(job.estimate_s, 300);
  EXPECT_EQ(job.size, 3);
  EXPECT_EQ(job.user, 1000);
  EXPECT_EQ(job.group, 50);
}

TEST(SacctReaderTest, ElapsedInsteadOfEnd) {
  const auto run_s = [](const std::string& elapsed) {
    return ReadOne("JobID|Submit|Start|Elapsed|NNodes\n1|5|10|" + elapsed +
                   "|1\n")
        .run_s;
  };
  EXPECT_EQ(run_s("2-03:04:05"), 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
  EXPECT_EQ(run_s("03:04:05"), 3 * 3600 + 4 * 60 + 5);
  EXPECT_EQ(run_s("04:05"), 245);
  EXPECT_EQ(run_s("4005"), 4005);
  EXPECT_EQ(ReadOne("JobID|Submit|Start|ElapsedRaw|NNodes|State\n"
                    "1|5|10|77|1|SUSPENDED\n")
                .use,
            Use::kUnfinished);
}

TEST(SacctReaderTest, TimeLimits) {
  const auto estimate_s = [](const std::string& limit) {
    return ReadOne("JobID|Submit|Start|End|NNodes|Timelimit\n1|5|10|40|1|" +
                   limit + "\n")
        .estimate_s;
  };
  EXPECT_EQ(estimate_s("1-00:00:00"), 86400);
  EXPECT_EQ(estimate_s("00:30:00"), 1800);
  EXPECT_EQ(estimate_s("UNLIMITED"), 30);
  EXPECT_EQ(estimate_s("Partition_Limit"), 30);
  EXPECT_EQ(estimate_s(""), 30);
}

TEST(SacctReaderTest, UsersAndGroupsByName) {
  const auto jobs = ReadGood(
      "JobID|Submit|Start|End|NNodes|User|Group\n"
      "1|0|1|2|1|ann|staff\n2|0|1|2|1|bob|staff\n3|0|1|2|1|ann|guest\n");
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].job.user, jobs[2].job.user);
  EXPECT_NE(jobs[0].job.user, jobs[1].job.user);
  EXPECT_EQ(jobs[0].job.group, jobs[1].job.group);
  EXPECT_NE(jobs[0].job.group, jobs[2].job.group);
}

// What a line is, by its JobID, Start, End, NodeList and State.
TEST(SacctReaderTest, OnlyJobsThatHaveRunAndEndedAreJobs) {
  const std::vector<std::pair<std::string, Use>> lines = {
      {"1|5|10|20|1|n1|COMPLETED", Use::kJob},
      {"1.batch|5|10|20|1|n1|COMPLETED", Use::kStep},
      {"1.0||||1|n1|COMPLETED", Use::kStep},
      {"1.extern|5|10|20|1|n1|COMPLETED", Use::kStep},
      {"2_3|5|10|20|1|n1|TIMEOUT", Use::kJob},
      {"2_3.0|5|10|20|1|n1|TIMEOUT", Use::kStep},
      {"2_[4-9%2]|5|Unknown|Unknown|1|None assigned|PENDING", Use::kNotStarted},
      {"3+0|5|10|20|1|n1|NODE_FAIL", Use::kJob},
      {"3+1|5|10|20|2|n[2-3]|NODE_FAIL", Use::kJob},
      {"4|5|None|20|1||CANCELLED by 0", Use::kNotStarted},
      {"5|5|20|20|1|None assigned|CANCELLED by 1000", Use::kNotStarted},
      {"6|5|10|Unknown|1|n4|RUNNING", Use::kUnfinished},
      // A state that this version does not know: the times decide.
      {"7|5|10|20|1|n5|FROZEN", Use::kJob},
      // Runs of one job, with --duplicates.
      {"8|5|10|20|1|n1|REQUEUED", Use::kJob},
      {"8|21|30|40|1|n2|COMPLETED", Use::kJob},
      {"8|21|30|40|1|n2|COMPLETED", Use::kRepeated},
      // Two runs in one second.
      {"9|5|10|10|1|n1|REQUEUED", Use::kJob},
      {"9|5|10|10|1|n1|FAILED", Use::kJob},
  };
  std::string content = kHeader;
  for (const auto& [line, use] : lines) content += line + "\n";
  const auto jobs = ReadGood(content);
  ASSERT_EQ(jobs.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(jobs[i].job.use, lines[i].second) << lines[i].first;
  }
}

TEST(SacctReaderTest, ASubmitAfterTheStartIsTheStart) {
  EXPECT_EQ(
      ReadOne(std::string(kHeader) + "1|50|10|20|1|n1|REQUEUED\n").submit_s,
      10);
}

TEST(SacctReaderTest, ThousandsOfNodesMayHaveAUnit) {
  EXPECT_EQ(ReadOne(std::string(kHeader) + "1|5|10|20|2K|n1|X\n").size, 2048);
}

TEST(SacctReaderTest, BarsInTheOneColumnOfFreeText) {
  const auto jobs =
      ReadGood("JobID|JobName|Submit|Start|End|NNodes\n1|a|b||c|5|10|20|3\n");
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].job.run_s, 10);
  EXPECT_EQ(jobs[0].job.size, 3);
  // Which of two has it is not known.
  EXPECT_THAT(ErrorOf("JobID|JobName|Comment|Submit|Start|End|NNodes\n"
                      "1|a|b|c|5|10|20|3\n"),
              HasSubstr(":2: 8 fields (expected 7 as in the header; a value "
                        "contains '|'"));
}

TEST(SacctReaderTest, IncompleteLinesAreErrors) {
  EXPECT_EQ(ErrorOf(std::string(kHeader) + "1|5|10|20|1|n1|OK\n2|5|10|2"),
            ":3: 4 fields (expected 7 as in the header; the line is not "
            "complete)");
}

TEST(SacctReaderTest, HeadersThatAreNotOfSacct) {
  EXPECT_THAT(ErrorOf("1|5|10|20|1|n1|OK\n"), HasSubstr(":1: no header line"));
  EXPECT_THAT(ErrorOf("JobID|Submit|Start|NNodes\n"),
              HasSubstr(":1: no column End"));
  EXPECT_THAT(ErrorOf("Submit|Start|End|NNodes\n"),
              HasSubstr(":1: no column JobID"));
  EXPECT_THAT(ErrorOf("JobID|Submit|Start|End\n"),
              HasSubstr(":1: no column NNodes"));
  EXPECT_THAT(ErrorOf("JobID|Start|End|NNodes\n"),
              HasSubstr(":1: no column Submit"));
  EXPECT_THAT(ErrorOf("JobID|Submit|End|NNodes\n"),
              HasSubstr(":1: no column Start"));
  EXPECT_THAT(ErrorOf("JobID|Submit|Start|End|NNodes|Start\n"),
              HasSubstr(":1: column Start appears more than once"));
  EXPECT_THAT(ErrorOf("JobID           Submit\n------- ------\n"),
              HasSubstr(":1: no '|' between the columns"));
  EXPECT_THAT(ErrorOf(""), HasSubstr(": no jobs"));
}

TEST(SacctReaderTest, InvalidValuesAreErrors) {
  EXPECT_THAT(ErrorOfLine("x|5|10|20|1|n1|OK"),
              HasSubstr(":2: JobID 'x' is not valid (expected a job"));
  EXPECT_THAT(ErrorOfLine("12_|5|10|20|1|n1|OK"), HasSubstr("JobID '12_'"));
  EXPECT_THAT(ErrorOfLine("|5|10|20|1|n1|OK"), HasSubstr("JobID ''"));
  EXPECT_THAT(ErrorOfLine("1|-5|10|20|1|n1|OK"),
              HasSubstr(":2: Submit '-5' is not valid"));
  EXPECT_THAT(ErrorOfLine("1|5|2026-02-30T10:00:00|20|1|n1|OK"),
              HasSubstr("Start '2026-02-30T10:00:00' is not valid"));
  EXPECT_THAT(ErrorOfLine("1|5|10|9|1|n1|OK"),
              HasSubstr(":2: End '9' is not valid (expected at least its "
                        "Start, '10')"));
  EXPECT_THAT(ErrorOfLine("1|5|10|20|many|n1|OK"), HasSubstr("NNodes 'many'"));
  EXPECT_THAT(ErrorOf("JobID|Submit|Start|Elapsed|NNodes\n1|5|10|25:99|1\n"),
              HasSubstr("Elapsed '25:99'"));
  EXPECT_THAT(
      ErrorOf("JobID|Submit|Start|End|NNodes|Timelimit\n1|5|10|20|1|soon\n"),
      HasSubstr("Timelimit 'soon'"));
  EXPECT_THAT(
      ErrorOf("JobID|JobIDRaw|Submit|Start|End|NNodes\n1|y|5|10|20|1\n"),
      HasSubstr("JobIDRaw 'y'"));
}

TEST(SacctReaderTest, OtherFilesAreSwf) {
  const auto jobs = ReadGood(
      "; Note: a|b\n"
      "7 100 5 60 4 -1 -1 8 90 -1 1 1 1 1 1 -1 -1 -1\n");
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].job.number, 7);
  EXPECT_EQ(jobs[0].job.start_s, 105);
  EXPECT_EQ(jobs[0].job.size, 8);
}

TEST(SacctFieldsTest, Times) {
  EXPECT_EQ(ParseSacctTimeS("1970-01-02T00:00:01"), 86401);
  EXPECT_EQ(ParseSacctTimeS("2024-02-29T23:59:59"), 1709251199);
  EXPECT_EQ(ParseSacctTimeS("1700000000"), 1700000000);
  for (const char* const wrong :
       {"", "2026-11-23", "2026-13-01T00:00:00", "2026-11-23T24:00:00",
        "2026-11-23 10:00:00", "2026-1-23T10:00:00.", "1969-12-31T23:59:59",
        "12345678901234", "now", "1e9"}) {
    EXPECT_EQ(ParseSacctTimeS(wrong), std::nullopt) << wrong;
  }
  for (const char* const wrong :
       {"-1", "1-", "1-2", "1:2", "24:00:00:00", "1-25:00:00", "x-01:00:00"}) {
    EXPECT_EQ(ParseSacctDurationS(wrong), std::nullopt) << wrong;
  }
}

TEST(SacctReaderTest, AMillionLinesTakeSeconds) {
  constexpr int kLines = 1'000'000;
  std::string content = kHeader;
  for (int i = 0; i < kLines; ++i) {
    content += std::to_string(i + 1) +
               "|2026-11-23T10:00:00|2026-11-23T10:00:30|2026-11-24T11:01:31|2|"
               "n[3,5]|COMPLETED\n";
  }
  const ScratchFile file(content);
  auto reader = OpenTrace(file.path());
  ASSERT_TRUE(reader.ok());
  int jobs = 0;
  while (*(*reader)->Next()) ++jobs;
  EXPECT_EQ(jobs, kLines);
}

}  // namespace
}  // namespace coolspan
