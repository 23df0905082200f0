// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocation.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(DescribeTest, WritesFactsAsWords) {
  Trace trace;
  trace.Note("interval_nodes", std::int64_t{12});
  trace.Note("mean_hops", 2.5);
  trace.Note("fallback", std::string_view("ring span"));
  EXPECT_EQ(Describe("best-fit", trace),
            "best-fit: interval nodes 12, mean hops 2.5, fallback ring span");
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
