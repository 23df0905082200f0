// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/job_start.h"

#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

v1::Event EventWith(const std::string& verdict) {
  v1::Event event;
  event.mutable_start()->set_verdict(verdict);
  return event;
}

TEST(JobStartTest, OtherVerdictsAreIgnored) {
  EXPECT_FALSE(DecodeStart(v1::Event()).has_value());
  EXPECT_FALSE(DecodeStart(EventWith("")).has_value());
  EXPECT_FALSE(DecodeStart(EventWith("Left")).has_value());
  for (const char* const verdict :
       {"enforced", "advised", "fallback", "left"}) {
    EXPECT_EQ(DecodeStart(EventWith(verdict))->verdict(), verdict);
  }
}

TEST(JobStartTest, TheClassIsTheReasonUnlessSent) {
  v1::Event event = EventWith("left");
  event.mutable_start()->set_reason("--contiguous");
  EXPECT_EQ(DecodeStart(event)->reason_class(), "--contiguous");
  event.mutable_start()->set_reason_class("options");
  EXPECT_EQ(DecodeStart(event)->reason_class(), "options");
}

TEST(JobStartTest, TextsAreShortenedToWholeCharacters) {
  v1::Event event = EventWith("fallback");
  v1::JobStart& sent = *event.mutable_start();
  sent.set_reason(std::string(1023, 'x') + "\xc3\xa9y");
  sent.set_decision_id(std::string(100, '1'));
  const v1::JobStart start = *DecodeStart(event);
  EXPECT_EQ(start.reason(), std::string(1023, 'x'));
  EXPECT_EQ(start.reason_class(), std::string(64, 'x'));
  EXPECT_EQ(start.decision_id(), std::string(64, '1'));
  sent.set_reason(std::string(1022, 'x') + "\xc3\xa9y");
  EXPECT_EQ(DecodeStart(event)->reason(), std::string(1022, 'x') + "\xc3\xa9");
}

}  // namespace
}  // namespace coolspan
