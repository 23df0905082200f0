// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/job_comment.h"

#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

std::optional<float> ShareIn(std::string_view text) {
  return JobComment::Read(text).CommunicationShare();
}

TEST(JobCommentTest, IgnoresOtherText) {
  for (const char* text :
       {"", " ", "coolspan", "coolspan:", "coolspan:comm-share",
        "comm-share=0.5", "xcoolspan:comm-share=0.5", ",;, "}) {
    const JobComment comment = JobComment::Read(text);
    EXPECT_EQ(comment.policy, std::nullopt) << text;
    EXPECT_EQ(comment.comm_share, std::nullopt) << text;
    EXPECT_EQ(comment.CommunicationShare(), std::nullopt) << text;
  }
}

TEST(JobCommentTest, FindsSettingsInAnyOrder) {
  for (const char* text :
       {"coolspan:policy=bqp:alpha=1:beta=0 coolspan:comm-share=0.5",
        "see wiki; coolspan:comm-share=0.5,coolspan:policy=bqp:alpha=1:beta=0",
        "\tcoolspan:comm-share=0.5\ncoolspan:policy=bqp:alpha=1:beta=0;x"}) {
    const JobComment comment = JobComment::Read(text);
    EXPECT_EQ(comment.policy, "bqp:alpha=1:beta=0") << text;
    EXPECT_EQ(comment.comm_share, "0.5") << text;
    EXPECT_EQ(comment.CommunicationShare(), 0.5F) << text;
  }
}

TEST(JobCommentTest, FirstValueOfAKeyApplies) {
  EXPECT_EQ(ShareIn("coolspan:comm-share=0.25 coolspan:comm-share=1"), 0.25F);
  EXPECT_EQ(ShareIn("coolspan:comm-share=much coolspan:comm-share=1"),
            std::nullopt);
}

TEST(JobCommentTest, FindsTheFirstUnknownSetting) {
  EXPECT_EQ(
      JobComment::Read("a, coolspan:policy=x,coolspan:comm-share=1").unknown,
      std::nullopt);
  EXPECT_EQ(JobComment::Read("coolspan: policy=x").unknown, "coolspan:");
  EXPECT_EQ(
      JobComment::Read("coolspan:policy=x coolspan:polcy=a coolspan:b").unknown,
      "coolspan:polcy=a");
}

TEST(JobCommentTest, SharesAreFromZeroToOne) {
  EXPECT_EQ(ShareIn("coolspan:comm-share=0"), 0.0F);
  EXPECT_EQ(ShareIn("coolspan:comm-share=1"), 1.0F);
  EXPECT_EQ(ShareIn("coolspan:comm-share=1.0"), 1.0F);
  EXPECT_EQ(ShareIn("coolspan:comm-share=.3"), 0.3F);
  EXPECT_EQ(ShareIn("coolspan:comm-share=3e-1"), 0.3F);
  for (const char* value : {"", "-0.1", "1.01", "30%", "half", "nan", "inf",
                            "0.5x", "0x1", "+0.5", "1e400", "1e-400"}) {
    EXPECT_EQ(ShareIn(std::string("coolspan:comm-share=") + value),
              std::nullopt)
        << value;
  }
}

TEST(JobCommentTest, EndOfALongCommentIsIgnored) {
  const std::string word = "coolspan:comm-share=0.5";
  const std::size_t room = JobComment::kMaxBytes - word.size();
  EXPECT_EQ(ShareIn(std::string(room, ' ') + word), 0.5F);
  EXPECT_EQ(ShareIn(std::string(room + word.size(), ' ') + word), std::nullopt);
}

}  // namespace
}  // namespace coolspan
