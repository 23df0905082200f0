// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ostream>
#include <sstream>
#include <string>

#include "unit/replay/terminal.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// All that a bar without a delay writes.
std::string Shown(std::uint64_t done, std::uint64_t total) {
  Terminal terminal;
  std::ostream out(&terminal);
  const std::atomic<std::uint64_t> counter = done;
  {
    const ProgressBar bar(out, counter, total, std::chrono::milliseconds(0));
    terminal.WaitUntilShown();
  }
  return terminal.str();
}

TEST(ProgressBarTest, QuickWorkShowsNothing) {
  std::ostringstream out;
  const std::atomic<std::uint64_t> done = 5;
  {
    // Erased at the end of its life, if shown.
    const ProgressBar bar(out, done, 10, std::chrono::hours(1));
  }
  EXPECT_EQ(out.str(), "");
}

TEST(ProgressBarTest, ShowsTheBarAndErasesIt) {
  const std::string line = "\r[" + std::string(20, '#') + std::string(20, ' ') +
                           "]  50%  5 of 10 jobs";
  const std::string shown = Shown(5, 10);
  EXPECT_EQ(shown.substr(0, line.size()), line);
  const std::string clearing = "\r" + std::string(line.size() - 1, ' ') + "\r";
  ASSERT_GE(shown.size(), line.size() + clearing.size());
  EXPECT_EQ(shown.substr(shown.size() - clearing.size()), clearing);
}

TEST(ProgressBarTest, ATotalOfZeroIsShown) {
  EXPECT_THAT(Shown(0, 0), HasSubstr("  0%  0 of 0 jobs"));
}

}  // namespace
}  // namespace coolspan
