// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/matrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "formats/matrix_market.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> ValuesOf(std::string_view text) {
  const ScratchFile file(text);
  const auto matrix = ReadMatrixFile(file.path());
  EXPECT_TRUE(matrix.ok()) << matrix.status();
  return matrix.ok() ? matrix->Values() : std::vector<double>();
}

TEST(MatrixFileTest, ReadsRows) {
  EXPECT_THAT(ValuesOf("1 2e-3\n-3\t+4.5\n"), ElementsAre(1, 0.002, -3, 4.5));
  EXPECT_THAT(ValuesOf("# D\n% K/W\n1,2 # first\n\n 3 , 4 % last"),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ValuesOf("7\r\n"), ElementsAre(7));
  EXPECT_THAT(ValuesOf(ScratchFile::Gzip("1 2\n3 4\n")),
              ElementsAre(1, 2, 3, 4));
}

TEST(MatrixFileTest, ReadsMatrixMarket) {
  EXPECT_THAT(ValuesOf("%%MatrixMarket matrix coordinate real general\n"
                       "% a comment\n2 2 3\n2 1 3\n1 1 1e-3\n1 2 2\n"),
              ElementsAre(0.001, 2, 3, 0));
  EXPECT_THAT(ValuesOf("%%matrixmarket MATRIX Coordinate Integer Symmetric\n"
                       "3 3 3\n1 1 5\n3 1 -7\n2 2 1\n"),
              ElementsAre(5, 0, -7, 0, 1, 0, -7, 0, 0));
  EXPECT_THAT(ValuesOf("%%MatrixMarket matrix array double general\n"
                       "2 2\n1\n2\n3\n4\n"),
              ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(ValuesOf("%%MatrixMarket matrix array real symmetric\n"
                       "3 3\n1\n2\n3\n4\n5\n6\n"),
              ElementsAre(1, 2, 3, 2, 4, 5, 3, 5, 6));
  EXPECT_THAT(ValuesOf("%%MatrixMarket matrix coordinate real general\n"
                       "2 2 0\n"),
              ElementsAre(0, 0, 0, 0));
}

TEST(MatrixFileTest, KeepsSparseMatricesSparse) {
  const ScratchFile file(
      "%%MatrixMarket matrix coordinate real general\n"
      "4000000 4000000 2\n4000000 1 2\n1 4000000 3\n");
  const auto matrix = ReadMatrixFile(file.path());
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->size, 4000000U);
  EXPECT_FALSE(matrix->is_dense);
  ASSERT_EQ(matrix->entries.size(), 2U);
  EXPECT_EQ(matrix->entries[0].column, 3999999U);
  EXPECT_EQ(matrix->entries[1].row, 3999999U);
}

struct BadMatrix {
  const char* what;
  const char* text;
  const char* place;  // ":line:column: "
  const char* message;
};
void PrintTo(const BadMatrix& file, std::ostream* out) { *out << file.what; }

class BadMatrixFileTest : public ::testing::TestWithParam<BadMatrix> {};

TEST_P(BadMatrixFileTest, ErrorHasPositionAndMessage) {
  const ScratchFile file(GetParam().text);
  const auto matrix = ReadMatrixFile(file.path());
  ASSERT_FALSE(matrix.ok());
  const std::string error(matrix.status().message());
  EXPECT_EQ(error.find(file.path() + GetParam().place), 0U) << error;
  EXPECT_THAT(error, HasSubstr(GetParam().message));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"
INSTANTIATE_TEST_SUITE_P(
    All, BadMatrixFileTest,
    ::testing::Values(
        BadMatrix{"empty", "", ": file has", "no numbers"},
        BadMatrix{"comments only", "# D\n% D\n", ":2:1: ", "no numbers"},
        BadMatrix{"a word", "1 2\n3 x4\n", ":2:3: ", "\"x4\" is not a number"},
        BadMatrix{"a comma for a point", "1;2\n", ":1:1: ", "is not a number"},
        BadMatrix{"not a number", "1 nan\n3 4\n", ":1:3: ", "not finite"},
        BadMatrix{"infinite", "1 2\n-inf 4\n", ":2:1: ", "not finite"},
        BadMatrix{"beyond doubles", "1 1e999\n3 4\n", ":1:3: ", "not finite"},
        BadMatrix{"a short row", "1 2\n3\n",
                  ":2:1: ", "row 2 has 1 entries (expected 2, "},
        BadMatrix{"a long row", "1 2\n3 4 5\n", ":2:1: ", "row 2 has 3"},
        BadMatrix{"broken off", "1 2 3\n4 5 6\n",
                  ":2:1: ", "matrix has 2 rows, 3 columns"},
        BadMatrix{"too many rows", "1 2\n3 4\n5 6\n",
                  ":3:1: ", "more than 2 rows"},
        BadMatrix{"a short first line", "%%MatrixMarket matrix array real\n1\n",
                  ":1:1: ", "has 4 words (expected 5"},
        BadMatrix{
            "no matrix", "%%MatrixMarket vector array real general\n",
            ":1:16: ", "object: invalid value \"vector\" (expected matrix)"},
        BadMatrix{"a pattern",
                  "%%MatrixMarket matrix coordinate pattern general\n",
                  ":1:34: ", "(expected real or integer)"},
        BadMatrix{"hermitian",
                  "%%MatrixMarket matrix coordinate real hermitian\n",
                  ":1:39: ", "(expected general or symmetric)"},
        BadMatrix{"no size", BANNER "% only this\n",
                  ":2:1: ", "rows, columns and entries"},
        BadMatrix{"no square", BANNER "2 3 1\n1 1 1\n", ":2:1: ", "is 2x3"},
        BadMatrix{"no rows", BANNER "0 0 0\n", ":2:1: ", "from 1 to 4194304"},
        BadMatrix{"a large dense one",
                  "%%MatrixMarket matrix array real general\n20000 20000\n",
                  ":2:1: ", "from 1 to 10000"},
        BadMatrix{"too many entries for its size", BANNER "2 2 5\n",
                  ":2:5: ", "from 0 to 4"},
        BadMatrix{
            "an entry outside", BANNER "2 2 1\n1 3 1\n", ":3:3: ",
            "column: invalid value \"3\" (expected an integer from 1 to 2)"},
        BadMatrix{"entries from 0", BANNER "2 2 1\n0 1 1\n",
                  ":3:1: ", "from 1 to 2"},
        BadMatrix{"an entry without value", BANNER "2 2 1\n1 1\n",
                  ":3:1: ", "(expected row, column and value)"},
        BadMatrix{"an entry twice", BANNER "2 2 2\n1 2 3\n1 2 4\n", ":4:1: ",
                  "row 1, column 2: specified more than once, as 3 and 4"},
        BadMatrix{"entries missing", BANNER "2 2 2\n1 2 3\n",
                  ":3:1: ", "ends after 1 entries (expected 2)"},
        BadMatrix{"entries left over", BANNER "2 2 1\n1 2 3\n1 1 3\n",
                  ":4:1: ", "more than 1 entries"},
        BadMatrix{"above the diagonal",
                  "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n"
                  "1 2 3\n",
                  ":3:3: ", "(expected the lower triangle"},
        BadMatrix{"an array broken off",
                  "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
                  ":5:1: ", "ends after 3 entries (expected 4)"},
        BadMatrix{"an array with more",
                  "%%MatrixMarket matrix array real general\n1 1\n1\n2\n",
                  ":4:1: ", "more than 1 numbers"}));

TEST(MatrixFileTest, BothTrianglesCountForTheLimit) {
  const std::string header =
      "%%MatrixMarket matrix coordinate real symmetric\n";
  const auto error_of = [&](const std::string& text, std::uint64_t entries) {
    const ScratchFile file(header + text);
    auto words = NumberWords::Open(file.path()).value();
    EXPECT_TRUE(words.Next().value());
    const auto matrix = ReadMatrixMarket(words, {.entries = entries});
    return matrix.ok() ? "" : file.MessageOf(matrix.status());
  };
  // Entries 1,1 and 2,1 and 1,2 and 3,1 and 1,3.
  const std::string text = "3 3 3\n1 1 1\n2 1 1\n3 1 1\n";
  EXPECT_EQ(error_of(text, 5), "");
  EXPECT_EQ(error_of(text, 4),
            ":5:1: matrix has more than 4 entries (expected at most 4)");
  // At most three of five are on the diagonal.
  EXPECT_THAT(error_of("3 3 5\n", 6), testing::HasSubstr(":2:5: "));
  EXPECT_THAT(error_of("3 3 5\n", 7), testing::HasSubstr(":2:1: file ends"));
}

TEST(MatrixFileTest, NoFile) {
  EXPECT_TRUE(absl::IsNotFound(ReadMatrixFile("/nonexistent/D").status()));
  EXPECT_FALSE(ReadMatrixFile("/").ok());
}

TEST(MatrixFileTest, RejectsATruncatedGzipStream) {
  const std::string whole = ScratchFile::Gzip("1 2\n3 4\n");
  const ScratchFile file(whole.substr(0, whole.size() - 9));
  EXPECT_FALSE(ReadMatrixFile(file.path()).ok());
}

}  // namespace
}  // namespace coolspan
