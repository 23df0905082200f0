// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/wrap_text.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(WrapTextTest, BreaksAtSpaces) {
  EXPECT_EQ(WrapText("", 10), "");
  EXPECT_EQ(WrapText("one two six", 7), "one two\nsix");
  EXPECT_EQ(WrapText("one two six", 6), "one\ntwo\nsix");
}

TEST(WrapTextTest, IndentAndStartCount) {
  EXPECT_EQ(WrapText("one two six ten", 7, 2), "one two\n  six\n  ten");
  EXPECT_EQ(WrapText("one two six", 7, 0, 2), "one\ntwo six");
}

TEST(WrapTextTest, LongWordsStayWhole) {
  EXPECT_EQ(WrapText("a long-word b", 4), "a\nlong-word\nb");
}

}  // namespace
}  // namespace coolspan
