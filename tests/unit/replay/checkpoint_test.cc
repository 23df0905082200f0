// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    setup_.machine = MeshMachine(FlatGrid({8}));
    setup_.open_port = [this, make = InProcessPorts(setup_.machine, {})](
                           const RunSpec& run,
                           const std::vector<std::string>& previewed) {
      ++opened_;
      return make(run, previewed);
    };
    setup_.previewed = {"random"};
    for (int i = 0; i < 40; ++i) {
      workload_.jobs.push_back(Job(i, 1 + i % 7, 1 + i % 5));
    }
    lists_.policies = {"first-fit", "best-fit", "random"};
    lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
    lists_.seeds = {1, 2};
  }

  // With the file as it is.
  std::vector<RunReport> Replayed() {
    auto opened = Checkpoint::Open(file_.path(), "these jobs");
    EXPECT_TRUE(opened.ok()) << opened.status();
    setup_.checkpoint = *std::move(opened);
    setup_.runs = EveryRun(lists_);
    opened_ = 0;
    started_ = 0;
    auto reports = Replay(setup_, OneWorkload(workload_), started_);
    EXPECT_TRUE(reports.ok()) << reports.status();
    setup_.checkpoint = nullptr;
    return *reports;
  }
  static std::string TextOf(const std::vector<RunReport>& reports) {
    std::string text;
    const auto add = [&text](const std::vector<NamedValue>& metrics) {
      for (const auto& [name, value] : metrics) {
        if (name.starts_with("decision_us") || name == "replay_jobs_per_s") {
          continue;
        }
        text += name + (value ? testing::PrintToString(*value) : "-") + "\n";
      }
    };
    for (const RunReport& report : reports) {
      text += report.run.policy + std::to_string(report.run.seed) + " " +
              std::to_string(report.jobs) + "\n";
      add(report.metrics);
      for (const PreviewReport& preview : report.previews) {
        text += preview.policy + std::to_string(preview.jobs) + "\n";
        add(preview.metrics);
      }
    }
    return text;
  }

  const ScratchFile file_;
  ReplaySetup setup_;
  Workload workload_;
  RunLists lists_;
  std::atomic<std::uint64_t> started_ = 0;
  std::atomic<int> opened_ = 0;
};

TEST_F(CheckpointTest, FinishedRunsAreNotRepeated) {
  const std::string once = TextOf(Replayed());
  EXPECT_EQ(started_, 240U);
  EXPECT_EQ(opened_, 3 + 6);  // each policy is checked first
  EXPECT_EQ(TextOf(Replayed()), once);
  EXPECT_EQ(started_, 240U);
  EXPECT_EQ(opened_, 3);
  // A longer list takes what is there.
  lists_.seeds = {1, 2, 3};
  const std::string longer = TextOf(Replayed());
  EXPECT_EQ(opened_, 3 + 3);
  EXPECT_THAT(longer, HasSubstr("first-fit3 40"));
}

// Killed at any time, the file is a beginning of the complete one.
TEST_F(CheckpointTest, AnyBeginningOfTheFileGivesTheSameResult) {
  const std::string once = TextOf(Replayed());
  const std::string complete = file_.Read();
  for (std::size_t size = 0; size < complete.size();
       size += 1 + complete.size() / 29) {
    file_.Write(complete.substr(0, size));
    EXPECT_EQ(TextOf(Replayed()), once) << size;
    EXPECT_EQ(TextOf(Replayed()), once) << size;
    EXPECT_EQ(opened_, 3) << size;
  }
}

TEST_F(CheckpointTest, OneReplayAtATime) {
  auto first = Checkpoint::Open(file_.path(), "these jobs");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(Checkpoint::Open(file_.path(), "these jobs").status().message(),
            file_.path() + ": in use by another replay");
  first->reset();
  EXPECT_TRUE(Checkpoint::Open(file_.path(), "these jobs").ok());
}

TEST_F(CheckpointTest, OtherFilesAreRefused) {
  const auto error = [this](const std::string& content) {
    file_.Write(content);
    const auto opened = Checkpoint::Open(file_.path(), "these jobs");
    EXPECT_TRUE(absl::IsInvalidArgument(opened.status())) << content;
    EXPECT_EQ(file_.Read(), content);
    return std::string(opened.status().message());
  };
  EXPECT_THAT(error("{\"coolspan_checkpoint\":\"other jobs\"}\n"),
              HasSubstr(":1: the checkpoint of another replay (expected these "
                        "jobs; found other jobs)"));
  EXPECT_THAT(error("{\"coolspan_checkpoint\":\"two\\nlines\"}\n"),
              HasSubstr(R"(found two\nlines))"));
  EXPECT_THAT(error("policy,job\n"), HasSubstr(":1: not a line"));
  EXPECT_THAT(error("; SWF"), HasSubstr(":1: not a checkpoint"));
  EXPECT_THAT(
      error("{\"coolspan_checkpoint\":\"these jobs\"}\n{\"run\":\"x\"}\n"),
      HasSubstr(":2: not a line"));
  EXPECT_THAT(error("{\"coolspan_checkpoint\":\"these jobs\"}\n[]\n"),
              HasSubstr(":2: not a line"));
  // Would be read without end.
  EXPECT_EQ(Checkpoint::Open("/dev/full", "").status().message(),
            "/dev/full: not a regular file (expected one, or a name for a new "
            "one)");
  EXPECT_THAT(
      std::string(
          Checkpoint::Open("/no/such/folder/file", "").status().message()),
      HasSubstr("/no/such/folder/file: cannot be written: No such"));
}

}  // namespace
}  // namespace coolspan
