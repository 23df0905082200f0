// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Expand(std::string_view expression) {
  const auto names = ExpandHostlist(expression);
  EXPECT_TRUE(names.ok()) << expression << ": " << names.status();
  return names.value_or(std::vector<std::string>{});
}

std::string ErrorOf(std::string_view expression,
                    std::size_t max_names = kMaxHostlistNames) {
  const auto names = ExpandHostlist(expression, max_names);
  EXPECT_FALSE(names.ok()) << expression;
  EXPECT_TRUE(absl::IsInvalidArgument(names.status()));
  return std::string(names.status().message());
}

std::string Compress(std::vector<std::string_view> names) {
  return CompressHostlist(names);
}

TEST(ExpandHostlistTest, TakesNamesAsTheyAre) {
  EXPECT_THAT(Expand("login"), ElementsAre("login"));
  EXPECT_THAT(Expand("a,b-1,c_2.x"), ElementsAre("a", "b-1", "c_2.x"));
  EXPECT_THAT(Expand(""), IsEmpty());
  EXPECT_THAT(Expand(" \t\n"), IsEmpty());
}

TEST(ExpandHostlistTest, TakesBlanksAsSeparators) {
  EXPECT_THAT(Expand(" n1, n2 ,n3\nn4\tn[5-6] "),
              ElementsAre("n1", "n2", "n3", "n4", "n5", "n6"));
}

TEST(ExpandHostlistTest, KeepsPadding) {
  EXPECT_THAT(Expand("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(Expand("n[8-011]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(Expand("n[009-10,7,00]"),
              ElementsAre("n009", "n010", "n7", "n00"));
}

TEST(ExpandHostlistTest, KeepsOrderAndRepeats) {
  EXPECT_THAT(Expand("n[3,1-2,1],n3"),
              ElementsAre("n3", "n1", "n2", "n1", "n3"));
}

TEST(ExpandHostlistTest, TakesTextAroundBrackets) {
  EXPECT_THAT(Expand("n[01-03,7],r[1-2]c[0-1]-ib"),
              ElementsAre("n01", "n02", "n03", "n7", "r1c0-ib", "r1c1-ib",
                          "r2c0-ib", "r2c1-ib"));
  EXPECT_THAT(Expand("[1-2][3-4]"), ElementsAre("13", "14", "23", "24"));
}

TEST(ExpandHostlistTest, VariesTheLastBracketFastestThenTheFirst) {
  EXPECT_THAT(Expand("a[1-2]b[3-4]c[5-6]"),
              ElementsAre("a1b3c5", "a1b3c6", "a2b3c5", "a2b3c6", "a1b4c5",
                          "a1b4c6", "a2b4c5", "a2b4c6"));
}

TEST(ExpandHostlistTest, ErrorHasPositionAndMessageIsWrong) {
  EXPECT_THAT(ErrorOf("n[1-2"),
              HasSubstr("column 2: unclosed '[' in \"n[1-2\""));
  EXPECT_THAT(ErrorOf("n["), HasSubstr("column 2: unclosed '[' in \"n[\""));
  EXPECT_THAT(ErrorOf("n[1-"), HasSubstr("column 2: unclosed '[' in \"n[1-\""));
  EXPECT_THAT(ErrorOf("a,n1]"), HasSubstr("column 5: unmatched ']'"));
  EXPECT_THAT(ErrorOf("n[]"), HasSubstr("column 3: missing number"));
  EXPECT_THAT(ErrorOf("n[1,]"), HasSubstr("column 5: missing number"));
  EXPECT_THAT(ErrorOf("n[-1]"), HasSubstr("column 3: missing number"));
  EXPECT_THAT(ErrorOf("n[1-2-3]"), HasSubstr("column 6: invalid range"));
  EXPECT_THAT(ErrorOf("n[1x]"), HasSubstr("column 4: invalid range"));
  EXPECT_THAT(ErrorOf("n[[1]]"), HasSubstr("column 3: missing number"));
  EXPECT_THAT(ErrorOf("n[3-1]"), HasSubstr("column 3: descending range"));
  EXPECT_THAT(ErrorOf("n[1234567890123456789]"),
              HasSubstr("column 3: number is too long (expected at most 18"));
  EXPECT_THAT(ErrorOf("a,,b"), HasSubstr("column 2: missing name"));
  EXPECT_THAT(ErrorOf(",a"), HasSubstr("column 1: missing name"));
  EXPECT_THAT(ErrorOf("a, "), HasSubstr("column 2: missing name"));
  EXPECT_THAT(ErrorOf("a\x01"), HasSubstr("column 2: invalid character"));
  EXPECT_THAT(ErrorOf("n\xc3\xa9"), HasSubstr("column 2: invalid character"));
}

TEST(ExpandHostlistTest, RejectsTooManyNamesBeforeMakingAny) {
  EXPECT_THAT(ErrorOf("n[1-1000000000]"),
              HasSubstr("column 1: more than 16777216 names"));
  EXPECT_THAT(ErrorOf("a,n[0-999999999999999999]x[0-999999999999999999]"),
              HasSubstr("column 3: more than 16777216 names"));
  EXPECT_THAT(ErrorOf("n[1-3]", 2), HasSubstr("more than 2 names"));
  EXPECT_THAT(ErrorOf("a,b,c", 2), HasSubstr("column 5: more than 2 names"));
  EXPECT_EQ(ExpandHostlist("n[1-3]", 3)->size(), 3U);
}

TEST(ExpandHostlistTest, LimitsTheLengthOfNames) {
  const std::string long_name(kMaxHostNameBytes, 'n');
  EXPECT_EQ(Expand(long_name), std::vector<std::string>{long_name});
  EXPECT_THAT(ErrorOf(long_name + "n"),
              HasSubstr("name is too long (expected at most 255"));
  EXPECT_THAT(ErrorOf(std::string(200, 'n') + "[0-9999999]"),
              HasSubstr("names are too long (expected at most 1073741824"));
  std::string brackets;
  for (int i = 0; i < 1000; ++i) brackets += "[1]";
  EXPECT_THAT(ErrorOf(brackets),
              HasSubstr("name is too long (expected at most 255"));
}

TEST(ExpandHostlistTest, ReadsLongLines) {
  std::string line;
  for (int i = 0; i < 200'000; ++i) line += "n" + std::to_string(i) + ",";
  line.pop_back();
  EXPECT_EQ(Expand(line).size(), 200'000U);
  EXPECT_THAT(ErrorOf(std::string(64 << 20, 'n')),
              HasSubstr("name is too long"));
  EXPECT_THAT(ErrorOf(std::string(64 << 20, '[')), HasSubstr("column 2:"));
}

TEST(VisitHostlistTest, EndsWithTheFirstError) {
  std::vector<std::string> seen;
  const absl::Status status =
      VisitHostlist("n[1-9]", 9, [&seen](std::string_view name) {
        seen.emplace_back(name);
        return name == "n2" ? absl::NotFoundError("n2") : absl::OkStatus();
      });
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(seen, ElementsAre("n1", "n2"));
}

TEST(CompressHostlistTest, FoldsConsecutiveNumbers) {
  EXPECT_EQ(Compress({"n1", "n2", "n3", "n5"}), "n[1-3,5]");
  EXPECT_EQ(Compress({"n1"}), "n1");
  EXPECT_EQ(Compress({"1", "2"}), "[1-2]");
  EXPECT_EQ(Compress({}), "");
  EXPECT_EQ(Compress({"a1", "a2", "b1", "x", "x", "b2"}), "a[1-2],b1,x,x,b2");
}

TEST(CompressHostlistTest, KeepsOrderAndRepeats) {
  EXPECT_EQ(Compress({"n1", "n3", "n2"}), "n[1,3,2]");
  EXPECT_EQ(Compress({"n1", "n1", "n2"}), "n[1,1-2]");
  EXPECT_EQ(Compress({"n3", "n2", "n1"}), "n[3,2,1]");
}

TEST(CompressHostlistTest, FoldsEachPaddingSeparately) {
  EXPECT_EQ(Compress({"n09", "n10", "n11"}), "n[09-11]");
  EXPECT_EQ(Compress({"n9", "n10"}), "n[9-10]");
  EXPECT_EQ(Compress({"n09", "n10", "n99", "n100"}), "n[09-10,99-100]");
  EXPECT_EQ(Compress({"n01", "n1", "n02", "n2"}), "n[01,1,02,2]");
  EXPECT_EQ(Compress({"n0", "n00", "n000"}), "n[0,00,000]");
  EXPECT_EQ(Compress({"n08", "n9", "n10"}), "n[08,9-10]");
  EXPECT_EQ(Compress({"n8", "n09"}), "n[8,09]");
}

TEST(CompressHostlistTest, FoldsNumbersAtTheEndOnly) {
  EXPECT_EQ(Compress({"n1-ib", "n2-ib"}), "n1-ib,n2-ib");
  EXPECT_EQ(Compress({"r1c1", "r1c2", "r2c1"}), "r1c[1-2],r2c1");
}

TEST(CompressHostlistTest, DoesNotFoldHugeNumbers) {
  EXPECT_EQ(Compress({"n1000000000000000000", "n1000000000000000001"}),
            "n1000000000000000000,n1000000000000000001");
  EXPECT_EQ(Compress({"n999999999999999998", "n999999999999999999"}),
            "n[999999999999999998-999999999999999999]");
}

}  // namespace
}  // namespace coolspan
