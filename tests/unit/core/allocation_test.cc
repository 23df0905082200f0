// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocation.h"

#include <gtest/gtest.h>

#include <limits>

namespace coolspan {
namespace {

TEST(DescribeTest, WritesFactsAsWordsWithUnits) {
  Trace trace;
  trace.Note("interval_nodes", std::int64_t{12});
  trace.Note("mean_hops", 2.5);
  trace.Note("fallback", std::string_view("ring span"));
  trace.Note("peak_inlet_c", 24.273939788391946);
  trace.Note("cooling_added_w", -1000.0);
  trace.Note("elapsed_us", std::int64_t{7});
  EXPECT_EQ(Describe("best-fit", trace),
            "best-fit: interval nodes 12, mean 2.5 hops, fallback ring span, "
            "peak inlet 24.27 C, cooling added -1000 W, elapsed 7 us");
}

TEST(DescribeTest, RoundsToTwoDecimalsOrThreeDigits) {
  const auto rounded = [](double value) {
    Trace trace;
    trace.Note("x", value);
    return Describe("p", trace);
  };
  EXPECT_EQ(rounded(0), "p: x 0");
  EXPECT_EQ(rounded(1.999), "p: x 2");
  EXPECT_EQ(rounded(100), "p: x 100");
  EXPECT_EQ(rounded(0.0123456), "p: x 0.0123");
  EXPECT_EQ(rounded(std::numeric_limits<double>::infinity()), "p: x inf");
}

TEST(DescribeTest, RephrasesFactNamesThatAreNotWords) {
  Trace trace;
  trace.Note("left_over_ranks", std::int64_t{12});
  trace.Note("least_peak_c", 24.273939788391946);
  EXPECT_EQ(Describe("p", trace), "p: unused ranks 12, lowest peak 24.27 C");
}

TEST(DescribeTest, NamesThePolicyWhereNothingWasNoted) {
  EXPECT_EQ(Describe("random", Trace()), "random");
}

TEST(TraceTest, ForgetsWhenCleared) {
  Trace trace;
  trace.Note("nodes", std::int64_t{1});
  trace.Clear();
  EXPECT_TRUE(trace.facts().empty());
}

}  // namespace
}  // namespace coolspan
