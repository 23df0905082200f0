// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/printable_stream.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace coolspan {
namespace {

TEST(PrintableStreamTest, EscapesAcrossWrites) {
  std::ostringstream target;
  {
    PrintableStream out(target, "");
    out << "job \x1b"
        << "[2Jname\xC2"
        << "\x9B" << 'c' << 7 << "\n";
    out.flush();
    EXPECT_EQ(target.str(), "job \\u001b[2Jname\\u009bc7\n");
    out << "\x1b[0m"
        << "plain";
  }
  EXPECT_EQ(target.str(), "job \\u001b[2Jname\\u009bc7\n\x1b[0mplain");
}

TEST(PrintableStreamTest, LongTextsArriveWhole) {
  std::ostringstream target;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  PrintableStream out(target, "");
  out << text << std::string(200'000, 'x') << std::flush;
  EXPECT_EQ(target.str(), text + std::string(200'000, 'x'));
}

TEST(PrintableStreamTest, FailureOfTheTargetShows) {
  std::ostringstream target;
  target.setstate(std::ios::badbit);
  PrintableStream out(target, "");
  out << "lost";
  EXPECT_FALSE(out.flush());
}

}  // namespace
}  // namespace coolspan
