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
