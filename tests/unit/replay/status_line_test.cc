// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/status_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <sstream>
#include <string>

#include "unit/replay/terminal.h"

namespace coolspan {
namespace {

TEST(StatusLineTest, WorkThatEndsWithinTheDelayShowsNothing) {
  std::ostringstream out;
  const auto busy = [] { return "busy"; };
  {
    // Erased at the end of its life, if shown.
    const StatusLine line(out, busy, std::chrono::hours(1));
  }
  EXPECT_EQ(out.str(), "");
}

TEST(StatusLineTest, IsErasedToItsGreatestWidth) {
  Terminal terminal;
  std::ostream out(&terminal);
  std::string text = "longer";
  {
    const StatusLine line(
        out,
        [&text] {
          std::string shown = text;
          text = "short";
          return shown;
        },
        std::chrono::milliseconds(0));
    terminal.WaitUntilShown();
  }
  const std::string shown = terminal.str();
  EXPECT_EQ(shown.substr(0, 7), "\rlonger");
  EXPECT_EQ(shown.substr(shown.size() - 8), "\r      \r");
}

}  // namespace
}  // namespace coolspan
