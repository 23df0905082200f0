// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/control_characters.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(ControlCharactersTest, UpperControlsAndDeleteAreEscaped) {
  EXPECT_EQ(EscapeUpperControls("a\xC2\x9B"
                                "2J\x7F \xC2\x80\xC2\x9F"),
            "a\\u009b2J\\u007f \\u0080\\u009f");
  EXPECT_EQ(EscapeUpperControls("a\n\x1b\xC2\xA0\xC3\x9B"),
            "a\n\x1b\xC2\xA0\xC3\x9B");
  EXPECT_EQ(EscapeUpperControls("cut off \xC2"), "cut off \xC2");
}

// A name must not turn round what stands beside it, or begin a line.
TEST(ControlCharactersTest, DirectionsAndLineSeparatorsAreEscaped) {
  EXPECT_EQ(
      EscapeUpperControls("a\xE2\x80\xAE"
                          "b\xE2\x81\xA6\xE2\x80\x8F\xE2\x80\xA8\xD8\x9C"),
      "a\\u202eb\\u2066\\u200f\\u2028\\u061c");
  // A dash, an ellipsis, kanji, and sequences that are cut off or invalid.
  for (const char* const text : {"\xE2\x80\x93\xE2\x80\xA6", "\xE6\xBC\xA2",
                                 "\xE2\x80", "\xE2zz", "\xC2zz", "\xE2\x80z"}) {
    EXPECT_EQ(EscapeUpperControls(text), text);
  }
}

TEST(ControlCharactersTest, ControlsAreEscapedButNewlinesTabsAndColours) {
  EXPECT_EQ(EscapeControls("a\tb\n\x1b[38;5;12mc\x1b[0m"),
            "a\tb\n\x1b[38;5;12mc\x1b[0m");
  EXPECT_EQ(EscapeControls("\x1b[2J\x1b]0;title\a\r"),
            "\\u001b[2J\\u001b]0;title\\u0007\\u000d");
  EXPECT_EQ(EscapeControls("\x1b"), "\\u001b");
  EXPECT_EQ(EscapeControls("\x1b[39;"), "\\u001b[39;");
  EXPECT_EQ(EscapeControls("\x1b[39;48;5;7m"), "\x1b[39;48;5;7m");
  EXPECT_EQ(EscapeControls("\x1b[8m"), "\\u001b[8m") << "would conceal";
  EXPECT_EQ(EscapeControls("\x1b[38;5;8;8m"), "\\u001b[38;5;8;8m");
  EXPECT_EQ(EscapeControls("50 %\r", "\r"), "50 %\r");
  EXPECT_EQ(EscapeControls(std::string("\0", 1)), "\\u0000");
}

}  // namespace
}  // namespace coolspan
