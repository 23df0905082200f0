// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pattern_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "folders.h"
#include "formats/pattern_choice.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const CommPattern> Read(std::string_view text) {
  const ScratchFile file(text);
  auto pattern = ReadPatternFile(file.path());
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  return pattern.ok() ? *pattern : nullptr;
}

// Without the path.
std::string ErrorOf(std::string_view text) {
  const ScratchFile file(text);
  return file.MessageOf(ReadPatternFile(file.path()).status());
}

void ExpectThreeRanks(const CommPattern& pattern) {
  EXPECT_EQ(pattern.ranks(), 3U);
  EXPECT_THAT(pattern.ReceiversOf(0), ElementsAre(1, 2));
  EXPECT_THAT(pattern.BytesFrom(0), ElementsAre(5, 6.5));
  EXPECT_THAT(pattern.ReceiversOf(1), ElementsAre());
  EXPECT_THAT(pattern.ReceiversOf(2), ElementsAre(0));
  EXPECT_THAT(pattern.BytesFrom(2), ElementsAre(7e9));
}

TEST(PatternFileTest, ReadsEachKind) {
  for (const char* const text :
       {"0,5,6.5\n0,0,0\n7e9,0,3\n", "0, 5, 6.5,\r\n0,0,0,\r\n7e9,0,3,\r\n",
        "# bytes\n\n0,5,6.5\n0,0,0\n7000000000,0,3\n\n",
        "0 1 5\n0 2 6.5\n1 2 0\n2 0 7e9\n",
        "2 0 7e9\n0\t1\t5\n1 1 8\n0 2 6.5\n",
        "ranks 3\n0 1 5\n0 2 6.5\n2 0 7e9\n",
        "ranks 3\nfrom to bytes\n0,1,5\n0,2,6.5\n2,0,7e9\n",
        "from,to,bytes\n0,1,5\n0,2,6.5\n2,0,7e9\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 5\n1 3 "
        "6.5\n3 1 7e9\n",
        "%%MatrixMarket matrix array real general\n3 3\n0 0 7e9\n5 0 0\n6.5 0 "
        "3\n"}) {
    const auto pattern = Read(text);
    ASSERT_NE(pattern, nullptr) << text;
    ExpectThreeRanks(*pattern);
  }
  ExpectThreeRanks(*Read(ScratchFile::Gzip("0,5,6.5\n0,0,0\n7e9,0,3\n")));
  EXPECT_EQ(Read("ranks 9\n")->ranks(), 9U);
  EXPECT_EQ(Read("0\n")->ranks(), 1U);
  EXPECT_EQ(Read("0 1 3\n")->pairs(), 1U);
}

TEST(PatternFileTest, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(ErrorOf("0,1,2\n3,0,4\n"),
            ":2:1: matrix has 2 rows, 3 columns (expected as many rows as "
            "columns)");
  EXPECT_EQ(ErrorOf("0,1\n2,0\n3,4\n"),
            ":3:1: matrix has more than 2 rows (expected as many rows as "
            "columns)");
  EXPECT_EQ(ErrorOf("0,1\n2,0,5\n"),
            ":2:5: row 2 has 3 numbers (expected 2, as in row 1)");
  EXPECT_EQ(ErrorOf("0,1\n-2,0\n"),
            ":2:1: \"-2\" is not a number of bytes (expected a number from 0 "
            "to 1e+18)");
  EXPECT_THAT(ErrorOf("0,nan\n2,0\n"), HasSubstr(":1:3: \"nan\" is not"));
  EXPECT_THAT(ErrorOf("0,1\ninf,0\n"), HasSubstr(":2:1: \"inf\" is not"));
  EXPECT_THAT(ErrorOf("0,1e19\n2,0\n"), HasSubstr(":1:3: \"1e19\" is not"));
  EXPECT_THAT(ErrorOf("0,,1\n2,0,3\n4,5,6\n"), HasSubstr(":1:3: \"\" is not"));
  EXPECT_THAT(ErrorOf("0,x\n2,0\n"), HasSubstr(":1:3: \"x\" is not"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("file has no data"));
  EXPECT_THAT(ErrorOf(",,,\n"), HasSubstr(":1:1:"));
}

// Three columns would be an edge list.
TEST(PatternFileTest, AMatrixHasCommas) {
  const std::string both =
      ":1:1: three lines of three numbers are an edge list or a matrix "
      "(expected a first line \"ranks N\" of an edge list, or commas between "
      "the numbers of a matrix)";
  EXPECT_EQ(ErrorOf("0 1 2\n1 0 2\n2 2 0\n"), both);
  EXPECT_EQ(ErrorOf("0 1 5\n0 2 6.5\n2 0 7e9\n"), both);
  EXPECT_EQ(Read("ranks 3\n0 1 2\n1 0 2\n2 2 0\n")->ranks(), 3U);
  EXPECT_EQ(Read("from to bytes\n0 1 2\n1 0 2\n2 1 4\n")->ranks(), 3U);
  EXPECT_EQ(Read("0 1 2\n1 0 2\n")->ranks(), 2U);
  EXPECT_EQ(ErrorOf("0 3\n4 0\n"),
            ":1:1: line has 2 numbers separated by blanks (expected commas "
            "between the numbers of a matrix, or lines \"FROM TO BYTES\")");
  EXPECT_THAT(ErrorOf("0\t1 2 3\n"), HasSubstr(":1:1: line has 4 numbers"));
}

TEST(PatternFileTest, ChecksEdgesAndMatrixMarket) {
  EXPECT_THAT(ErrorOf("0 1 5\n0 1\n"), HasSubstr(":2:1: line has 2 fields"));
  EXPECT_THAT(ErrorOf("0 1 5\n-1 1 3\n"), HasSubstr(":2:1: \"-1\" is not a"));
  EXPECT_THAT(ErrorOf("ranks 2\n0 2 3\n"),
              HasSubstr(":2:3: \"2\" is not a rank (expected a whole number "
                        "from 0 to 1)"));
  EXPECT_THAT(ErrorOf("ranks 0\n"), HasSubstr(":1:7: \"0\" is not a number"));
  EXPECT_THAT(ErrorOf("0 9999999 1\n"), HasSubstr(":1:3: \"9999999\" is not"));
  EXPECT_THAT(ErrorOf("0 1 -5\n"), HasSubstr(":1:5: \"-5\" is not a number"));
  EXPECT_THAT(ErrorOf("from to bytes\n"), HasSubstr("no pairs of ranks"));
  EXPECT_THAT(ErrorOf("0 1 5\n0 1 6\n"),
              HasSubstr(":2:1: rank 0 to rank 1: specified more than once "
                        "(first in line 1)"));
  EXPECT_EQ(ErrorOf("# a\nranks 9\n7 1 5\n3 2 1\n0 1 5\n3 2 0\n0 1 6\n7 1 "
                    "5\n"),
            ":6:1: rank 3 to rank 2: specified more than once (first in line "
            "4)");
  const std::string header = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THAT(ErrorOf(header + "2 2 1\n1 2 -4\n"),
              HasSubstr(":3:5: \"-4\" is out of range (expected a number from "
                        "0 to 1e+18)"));
  EXPECT_THAT(ErrorOf(header + "2 3 0\n"), HasSubstr(":2:1: matrix is 2x3"));
  EXPECT_THAT(ErrorOf(header + "2 2 1\n1 2 nan\n"), HasSubstr(":3:5:"));
}

TEST(PatternFileTest, MatrixMarketIsRefusedAtItsSizeLine) {
  const std::string coordinates = "%%MatrixMarket matrix coordinate real ";
  const std::string more =
      "matrix has more than 16777216 entries (expected at most 16777216)";
  // Before the entries, the first of which is wrong.
  EXPECT_EQ(ErrorOf(coordinates + "general\n5000 5000 16777217\nx\n"),
            ":2:11: " + more);
  EXPECT_EQ(ErrorOf(coordinates + "symmetric\n5000 5000 8391109\nx\n"),
            ":2:11: " + more);
  EXPECT_THAT(ErrorOf(coordinates + "symmetric\n5000 5000 8391108\nx\n"),
              HasSubstr(":3:1: "));
  EXPECT_THAT(ErrorOf(coordinates + "general\n4194304 4194304 300000000\n1 1 "
                                    "0\n"),
              HasSubstr(":2:1: number of rows: invalid value \"4194304\" "
                        "(expected an integer from 1 to 1048576)"));
  const std::string array = "%%MatrixMarket matrix array real general\n";
  EXPECT_EQ(ErrorOf(array + "4097 4097\nx\n"), ":2:1: " + more);
  EXPECT_THAT(ErrorOf(array + "4096 4096\nx\n"), HasSubstr(":3:1: "));
}

TEST(PatternFileTest, MatrixMarketHasAsManyEntriesAsItsSizeLine) {
  const std::string header = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THAT(ErrorOf(header + "2 2 2\n1 2 4\n"),
              HasSubstr(":3:1: file ends after 1 entries (expected 2)"));
  EXPECT_THAT(ErrorOf(header + "2 2 1\n1 2 4\n2 1 4\n"),
              HasSubstr(":4:1: more than 1 entries"));
  const std::string array = "%%MatrixMarket matrix array real general\n2 2\n";
  EXPECT_THAT(ErrorOf(array + "1\n2\n3\n"), HasSubstr(":5:1: file ends after"));
  EXPECT_THAT(ErrorOf(array + "1\n2\n3\n4\n5\n"), HasSubstr(":7:1: more than"));
}

TEST(PatternFileTest, NumbersHaveNoPlusSign) {
  for (const char* const text :
       {"0,+5\n2,0\n", "0 1 +5\n", "from,to,bytes\n0,1,+5\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 +5\n",
        "%%MatrixMarket matrix array real general\n2 2\n0 2 +5 0\n"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("\"+5\" is not a number")) << text;
  }
}

TEST(PatternFileTest, APipeIsReadOnce) {
  for (const std::string text :
       {"0,5,6.5\n0,0,0\n7e9,0,3\n", "ranks 3\n0 1 5\n0 2 6.5\n2 0 7e9\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 5\n1 3 "
        "6.5\n3 1 7e9\n"}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    ASSERT_EQ(write(ends[1], text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
    close(ends[1]);
    const auto pattern = ReadPatternFile("/dev/fd/" + std::to_string(ends[0]));
    close(ends[0]);
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    ExpectThreeRanks(**pattern);
  }
}

TEST(PatternFileTest, MissingFilesAreNamed) {
  EXPECT_THAT(std::string(ReadPatternFile("/none/p.csv").status().message()),
              HasSubstr("/none/p.csv"));
}

TEST(PatternFileTest, WritesWhatItReads) {
  const auto pattern = Read("ranks 4\n0 1 0.1\n3 2 12345678901234567\n");
  std::ostringstream text;
  WritePattern(*pattern, "a comment", text);
  const auto again = Read(text.str());
  EXPECT_EQ(again->ranks(), 4U);
  EXPECT_EQ(again->BytesFrom(0)[0], pattern->BytesFrom(0)[0]);
  EXPECT_EQ(again->BytesFrom(3)[0], pattern->BytesFrom(3)[0]);
}

TEST(PatternFileTest, ReadsRecordedPatterns) {
  const std::filesystem::path folder = DataDir() / "patterns";
  if (!std::filesystem::exists(folder)) COOLSPAN_NEED_DATA("patterns");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    const auto pattern = ReadPatternFile(entry.path().string());
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    EXPECT_TRUE((*pattern)->ranks() == 64 || (*pattern)->ranks() == 128);
    EXPECT_GT((*pattern)->pairs(), 100U);
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(PatternChoiceTest, IsAKindOrAFile) {
  const auto ring = PatternChoice::Read("ring").value();
  EXPECT_TRUE(ring.Suits(7));
  EXPECT_EQ(ring.ForRanks(7).value()->ranks(), 7U);
  const ScratchFile file("ranks 6\n0 1 5\n");
  const auto six = PatternChoice::Read(file.path()).value();
  EXPECT_TRUE(six.Suits(3));
  EXPECT_FALSE(six.Suits(4));
  EXPECT_EQ(six.ForRanks(3).value()->ranks(), 6U);
  EXPECT_FALSE(PatternChoice::Read("rings").ok());
}

TEST(PatternChoiceTest, ALoopOfLinksIsNotAMissingFile) {
  const ScratchFile file;
  std::filesystem::remove(file.path());
  std::filesystem::create_symlink(file.path(), file.path());
  EXPECT_EQ(file.MessageOf(PatternChoice::Read(file.path()).status()),
            ": cannot open file: Too many levels of symbolic links");
}

}  // namespace
}  // namespace coolspan
