// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/swf_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

constexpr char kTail[] = " -1 1 1 1 1 1 -1 -1 -1";  // fields 10 to 18

std::vector<SwfRecord> ReadGood(const std::string& content) {
  const ScratchFile file(content);
  absl::StatusOr<SwfReader> reader = SwfReader::Open(file.path());
  EXPECT_TRUE(reader.ok());
  std::vector<SwfRecord> records;
  for (;;) {
    const absl::StatusOr<bool> more = reader->Next();
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return records;
    records.push_back(reader->record());
  }
}

// The message of the first error, without the file's name.
std::string ErrorOf(const std::string& content) {
  const ScratchFile file(content);
  absl::StatusOr<SwfReader> reader = SwfReader::Open(file.path());
  for (;;) {
    const absl::StatusOr<bool> more = reader->Next();
    if (more.ok() && *more) continue;
    if (more.ok()) return "";
    const std::string message(more.status().message());
    EXPECT_EQ(message.substr(0, file.path().size() + 1), file.path() + ":");
    return message.substr(file.path().size() + 1);
  }
}

TEST(SwfReaderTest, ReadsFieldsPastCommentsAndBlankLines) {
  const auto records =
      ReadGood(std::string("; Version: 2\n\n  ;indented\n \t \n") +
               "7 100 5 60 4 -1 -1 8 90" + kTail + "\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].job_number(), 7);
  EXPECT_EQ(records[0].submit_s(), 100);
  EXPECT_EQ(records[0].run_s(), 60);
  EXPECT_EQ(records[0].processors(), 8);
  EXPECT_EQ(records[0].estimate_s(), 90);
  EXPECT_EQ(records[0].extra_fields, 0U);
}

TEST(SwfReaderTest, UnknownRequestAndEstimateFallBack) {
  const auto records = ReadGood(std::string("1 0 5 60 4 -1 -1 -1 -1") + kTail +
                                "\n2 0 5 60 4 -1 -1 0 0" + kTail);
  ASSERT_EQ(records.size(), 2U);
  for (const SwfRecord& record : records) {
    EXPECT_EQ(record.processors(), 4);
    EXPECT_EQ(record.estimate_s(), 60);
  }
}

TEST(SwfReaderTest, AnyWhiteSpaceSeparates) {
  const auto records =
      ReadGood("\t1 \t 0\v5\f60  4 -1 -1 8 90 -1 1 1 1 1 1 -1 -1 -1 \r\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].run_s(), 60);
  EXPECT_EQ(records[0].extra_fields, 0U);
}

TEST(SwfReaderTest, CountsExtraFieldsWhateverTheyHold) {
  const auto records =
      ReadGood(std::string("1 0 5 60 4 -1 -1 8 90") + kTail + " 3 four 5\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].extra_fields, 3U);
}

TEST(SwfReaderTest, TakesDecimals) {
  const auto records =
      ReadGood(std::string("1 0.25 5 60.5 4 1e2 -1 8 -1.0") + kTail);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].submit_s(), 0.25);
  EXPECT_EQ(records[0].run_s(), 60.5);
  EXPECT_EQ(records[0].fields[5], 100);
  EXPECT_EQ(records[0].estimate_s(), 60.5);
}

TEST(SwfReaderTest, NumbersOfEveryLengthAreExact) {
  for (const double value : {0.0, -1.0, 9.0, 123456789012345.0,
                             999999999999999.0, 1234567890123456.0}) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    const auto records =
        ReadGood(std::string(text) + " 0 5 60 4 -1 -1 8 90" + kTail);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].job_number(), value) << text;
  }
}

TEST(SwfReaderTest, FewerFieldsAreAnError) {
  EXPECT_EQ(ErrorOf("; c\n1 2 3\n"),
            "2: 3 fields (expected 18, -1 for unknown values)");
  EXPECT_THAT(ErrorOf("1\n"), HasSubstr("1: 1 field ("));
  EXPECT_THAT(ErrorOf("1 0 5 60 4 -1 -1 8 90 -1 1 1 1 1 1 -1 -1"),
              HasSubstr("1: 17 fields ("));
}

TEST(SwfReaderTest, AFieldThatIsNotANumberIsAnError) {
  for (const std::string bad :
       {"x", "1x", "--1", "-", "+1", "1,5", "nan", "inf", "0x10", "1e999"}) {
    EXPECT_EQ(ErrorOf("1 0 5 " + bad + " 4 -1 -1 8 90" + kTail),
              "1: field 4 is '" + bad +
                  "' (expected a number; the file is plain text or gzip)");
  }
  EXPECT_THAT(ErrorOf(std::string(1000, 'y')),
              HasSubstr("field 1 is '" + std::string(24, 'y') + "...'"));
}

TEST(SwfReaderTest, BinaryDataIsNamed) {
  EXPECT_EQ(ErrorOf(std::string("\x89PNG\0\n", 6)),
            "1: field 1 is binary data (byte 0x89) (expected a number; the "
            "file is plain text or gzip)");
  EXPECT_THAT(ErrorOf(std::string("\0\0\0\0", 4)), HasSubstr("byte 0x00"));
}

}  // namespace
}  // namespace coolspan
