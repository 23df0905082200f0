// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/utf8.h"

#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace coolspan {
namespace {

using namespace std::string_literals;

constexpr const char* kBad = "\xef\xbf\xbd";  // U+FFFD

TEST(Utf8Test, KeepsValidText) {
  for (const std::string& text :
       {""s, "coolspan:policy=mc"s, "caf\xc3\xa9"s, "\u07ff\u0800\uffff"s,
        "\ud7ff\ue000"s, "\U00010000\U0010ffff"s, "\ufffd"s}) {
    EXPECT_EQ(ReplaceInvalidUtf8(text), text);
  }
}

TEST(Utf8Test, KeepsNulAndControlBytes) {
  std::string text;
  for (char c = 0; c < 0x20; ++c) text += c;
  text += "\x7f\"\\";
  EXPECT_EQ(ReplaceInvalidUtf8(text), text);
  EXPECT_EQ(ReplaceInvalidUtf8("a\0\xff\0b"s), "a\0"s + kBad + "\0b"s);
}

TEST(Utf8Test, TruncatedCharacterIsOneReplacement) {
  for (const std::string cut :
       {"\xc3", "\xe2\x82", "\xe2", "\xf0\x9f\x98", "\xf0\x9f", "\xf0"}) {
    EXPECT_EQ(ReplaceInvalidUtf8("a" + cut), "a"s + kBad);
    EXPECT_EQ(ReplaceInvalidUtf8(cut + "b"), kBad + "b"s);
    EXPECT_EQ(ReplaceInvalidUtf8(cut + "\xc3\xa9"), kBad + "\xc3\xa9"s);
    EXPECT_EQ(ReplaceInvalidUtf8(cut + cut), std::string(kBad) + kBad);
  }
}

struct Invalid {
  std::string bytes;
  std::size_t replacements;
};

class Utf8InvalidTest : public ::testing::TestWithParam<Invalid> {};

TEST_P(Utf8InvalidTest, IsReplacedByMaximalSubparts) {
  std::string expected = "<";
  for (std::size_t i = 0; i < GetParam().replacements; ++i) expected += kBad;
  expected += ">";
  EXPECT_EQ(ReplaceInvalidUtf8("<" + GetParam().bytes + ">"), expected);
}

INSTANTIATE_TEST_SUITE_P(StrayBytes, Utf8InvalidTest,
                         ::testing::Values(Invalid{"\x80", 1},
                                           Invalid{"\xbf\x80", 2},
                                           Invalid{"\xf5\x80\x80\x80", 4},
                                           Invalid{"\xfe\xff", 2}));
INSTANTIATE_TEST_SUITE_P(Overlong, Utf8InvalidTest,
                         ::testing::Values(Invalid{"\xc0\x80", 2},
                                           Invalid{"\xc1\xbf", 2},
                                           Invalid{"\xe0\x80\x80", 3},
                                           Invalid{"\xe0\x9f\xbf", 3},
                                           Invalid{"\xf0\x80\x80\x80", 4},
                                           Invalid{"\xf0\x8f\xbf\xbf", 4}));
INSTANTIATE_TEST_SUITE_P(Surrogates, Utf8InvalidTest,
                         ::testing::Values(Invalid{"\xed\xa0\x80", 3},
                                           Invalid{"\xed\xbf\xbf", 3}));
INSTANTIATE_TEST_SUITE_P(AboveTheLastCodePoint, Utf8InvalidTest,
                         ::testing::Values(Invalid{"\xf4\x90\x80\x80", 4}));

// The example of Unicode 15.0, section 3.9, table 3-11.
INSTANTIATE_TEST_SUITE_P(Truncated, Utf8InvalidTest,
                         ::testing::Values(Invalid{
                             "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf", 4}));

// The reason for the function: Protobuf refuses to parse a string field that is
// not valid UTF-8.
TEST(Utf8Test, ProtobufParsesEveryResultAndLeavesNothingValidOut) {
  std::mt19937 random(20261122);
  constexpr std::string_view kBytes =
      "a\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff";
  const auto is_accepted = [](const std::string& text) {
    google::protobuf::StringValue value;
    value.set_value(text);
    google::protobuf::StringValue parsed;
    return parsed.ParseFromString(value.SerializeAsString());
  };
  ::testing::internal::CaptureStderr();  // protobuf logs what it refuses
  int unchanged = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t length = random() % 6; text.size() < length;) {
      text += kBytes[random() % kBytes.size()];
    }
    const std::string result = ReplaceInvalidUtf8(text);
    const bool was_valid = is_accepted(text);
    unchanged += was_valid ? 1 : 0;
    ASSERT_TRUE(is_accepted(result)) << ::testing::PrintToString(text);
    ASSERT_EQ(result == text, was_valid) << ::testing::PrintToString(text);
  }
  ::testing::internal::GetCapturedStderr();
  EXPECT_GT(unchanged, 1000);
}

}  // namespace
}  // namespace coolspan
