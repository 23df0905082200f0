// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coolspan {
namespace {

const std::vector<std::string_view> kKnown = {"best-fit", "first-fit",
                                              "free-list", "mm", "mc"};

TEST(NearestName, FindsSlipsOfTheFinger) {
  EXPECT_EQ(NearestName("bestfit", kKnown), "best-fit");
  EXPECT_EQ(NearestName("frist-fit", kKnown), "first-fit");
  EXPECT_EQ(NearestName("free-lst", kKnown), "free-list");
  EXPECT_EQ(NearestName("mm", kKnown), "mm");
}

TEST(NearestName, ASwapOfNeighboursIsOneSlip) {
  const std::vector<std::string_view> known = {"abx", "bacd"};
  // One swap from "abcd" to "bacd"; two edits to "abx".
  EXPECT_EQ(NearestName("abcd", known), "bacd");
}

TEST(NearestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(NearestName("hilbert", kKnown), "");
  EXPECT_EQ(NearestName("x", kKnown), "");
  EXPECT_EQ(NearestName("", kKnown), "");
  EXPECT_EQ(NearestName(std::string(100'000, 'm'), kKnown), "");
}

}  // namespace
}  // namespace coolspan
