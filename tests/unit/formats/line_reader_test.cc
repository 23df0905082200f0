// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The lines of a file and the status at the end.
struct Reading {
  std::vector<std::string> lines;
  absl::Status status;
  std::string message() const { return std::string(status.message()); }
};

Reading ReadAll(const std::string& path) {
  Reading reading;
  absl::StatusOr<LineReader> reader = LineReader::Open(path);
  if (!reader.ok()) return {{}, reader.status()};
  for (;;) {
    const absl::StatusOr<bool> more = reader->Next();
    if (!more.ok()) reading.status = more.status();
    if (!more.ok() || !*more) return reading;
    reading.lines.emplace_back(reader->line());
  }
}

TEST(LineReaderTest, LinesHaveNoNewline) {
  const ScratchFile file("a\n\nb c\r\nlast");
  const Reading reading = ReadAll(file.path());
  EXPECT_TRUE(reading.status.ok());
  EXPECT_THAT(reading.lines, ElementsAre("a", "", "b c\r", "last"));
}

TEST(LineReaderTest, AByteOrderMarkIsNotOfTheFirstLine) {
  const ScratchFile file("\xEF\xBB\xBFtime_s\n\xEF\xBB\xBFx");
  EXPECT_THAT(ReadAll(file.path()).lines,
              ElementsAre("time_s", "\xEF\xBB\xBFx"));
}

TEST(LineReaderTest, OtherCompressionsAreNamed) {
  const ScratchFile file(std::string("\xFD") + "7zXZ\nmore");
  const Reading reading = ReadAll(file.path());
  EXPECT_EQ(
      reading.message(),
      file.path() + ":1: compressed with xz (expected plain text or gzip)");
  EXPECT_TRUE(reading.lines.empty());
  EXPECT_THAT(ReadAll(ScratchFile("1 2\nBZh\n").path()).lines,
              ElementsAre("1 2", "BZh"));
}

TEST(LineReaderTest, AnEmptyFileHasNoLines) {
  const ScratchFile file;
  const Reading reading = ReadAll(file.path());
  EXPECT_TRUE(reading.status.ok());
  EXPECT_TRUE(reading.lines.empty());
}

TEST(LineReaderTest, ReadsGzipWhateverTheName) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  const ScratchFile plain(text);
  const ScratchFile packed(ScratchFile::Gzip(text));
  ASSERT_LT(packed.Read().size(), text.size() / 2);
  const Reading reading = ReadAll(packed.path());
  EXPECT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.lines.size(), 100'000U);
  EXPECT_EQ(reading.lines, ReadAll(plain.path()).lines);
}

TEST(LineReaderTest, ReadsConcatenatedGzip) {
  const ScratchFile file(ScratchFile::Gzip("a\nb") + ScratchFile::Gzip("c\n"));
  EXPECT_THAT(ReadAll(file.path()).lines, ElementsAre("a", "bc"));
}

TEST(LineReaderTest, EveryTruncationOfGzipIsAnError) {
  const std::string packed = ScratchFile::Gzip("1 2 3\n4 5 6\n");
  // A single byte is valid text.
  for (std::size_t length = 2; length < packed.size(); ++length) {
    const ScratchFile file(packed.substr(0, length));
    const Reading reading = ReadAll(file.path());
    EXPECT_FALSE(reading.status.ok()) << length;
    EXPECT_THAT(reading.message(), HasSubstr("gzip stream is truncated"))
        << length;
  }
}

TEST(LineReaderTest, ReportsTheLineWhereGzipIsTruncated) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = ScratchFile::Gzip(text);
  const ScratchFile file(packed.substr(0, packed.size() / 2));
  const Reading reading = ReadAll(file.path());
  ASSERT_GT(reading.lines.size(), 20'000U);
  for (std::size_t i = 0; i < reading.lines.size(); ++i) {
    ASSERT_EQ(reading.lines[i], std::to_string(i * 7919));
  }
  EXPECT_EQ(reading.message(),
            file.path() + ":" + std::to_string(reading.lines.size() + 1) +
                ": gzip stream is truncated (expected a complete file)");
}

TEST(LineReaderTest, DamagedGzipIsAnError) {
  std::string packed = ScratchFile::Gzip("1 2 3\n4 5 6\n");
  packed[packed.size() - 6] = static_cast<char>(~packed[packed.size() - 6]);
  const ScratchFile file(packed);
  EXPECT_THAT(ReadAll(file.path()).message(), HasSubstr("damaged"));
}

TEST(LineReaderTest, RejectsLinesOverTheLimit) {
  const std::string longest(LineReader::kMaxLineBytes, 'x');
  const ScratchFile good("a\n" + longest + "\n" + longest);
  EXPECT_THAT(ReadAll(good.path()).lines, ElementsAre("a", longest, longest));

  for (const std::string end : {"", "\n", "\nmore\n"}) {
    const ScratchFile bad("a\n" + longest + "x" + end);
    const Reading reading = ReadAll(bad.path());
    EXPECT_THAT(reading.lines, ElementsAre("a"));
    EXPECT_EQ(
        reading.message(),
        bad.path() + ":2: line is too long (expected at most 65536 bytes)");
  }
}

TEST(LineReaderTest, TheCallerSetsTheLimit) {
  const ScratchFile file("123456789\n1234567890\n12345678901\n");
  absl::StatusOr<LineReader> reader = LineReader::Open(file.path(), 10);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(*reader->Next());
  EXPECT_TRUE(*reader->Next());
  EXPECT_EQ(reader->line(), "1234567890");
  EXPECT_THAT(std::string(reader->Next().status().message()),
              HasSubstr(":3: line is too long (expected at most 10 bytes)"));
}

TEST(LineReaderTest, LongLinesFit) {
  constexpr std::size_t kMax = std::size_t{1} << 20;
  const std::string longest(kMax, 'x');
  const std::string half(kMax / 2, 'y');
  const ScratchFile file(half + "\nz\n" + longest + "\n" + half + "\n" +
                         longest + "x\n");
  absl::StatusOr<LineReader> reader = LineReader::Open(file.path(), kMax);
  ASSERT_TRUE(reader.ok());
  for (const std::string& line : {half, std::string("z"), longest, half}) {
    ASSERT_TRUE(*reader->Next());
    EXPECT_EQ(reader->line(), line);
  }
  EXPECT_THAT(
      std::string(reader->Next().status().message()),
      HasSubstr(":5: line is too long (expected at most 1048576 bytes)"));
}

TEST(LineReaderTest, RejectsAnEndlessLine) {
  const Reading reading = ReadAll("/dev/zero");
  EXPECT_THAT(reading.message(),
              HasSubstr("too long (expected at most 65536 bytes)"));
}

TEST(LineReaderTest, SaysWhyAFileCannotBeRead) {
  const Reading absent = ReadAll("/nonexistent/trace.swf");
  EXPECT_TRUE(absl::IsNotFound(absent.status));
  EXPECT_EQ(absent.message(),
            "/nonexistent/trace.swf: cannot open file: No such file or "
            "directory");
  EXPECT_THAT(ReadAll("/").message(), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace coolspan
