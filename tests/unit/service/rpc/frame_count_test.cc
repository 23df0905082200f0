// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/frame_count.h"

#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
enum Type : char {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kPing = 6,
  kUpdate = 8
};

std::string Frame(Type type, std::size_t payload) {
  std::string frame;
  frame += static_cast<char>(payload >> 16);
  frame += static_cast<char>(payload >> 8);
  frame += static_cast<char>(payload);
  frame += type;
  frame += std::string(5, '\1');  // flags and stream
  return frame + std::string(payload, '\6');
}

const std::string kSome = kPreface + Frame(kHeaders, 300) +
                          Frame(kData, 70'000) + Frame(kReset, 4) +
                          Frame(kUpdate, 4) + Frame(kPing, 8) + Frame(kData, 0);
constexpr double kCostOfSome =
    3 * FrameCount::kControlCost + 3 * FrameCount::kMessageCost;

TEST(FrameCountTest, CountsFramesByType) {
  FrameCount frames;
  EXPECT_NEAR(frames.Add(kSome), kCostOfSome, 1e-9);
  EXPECT_NEAR(frames.Add(Frame(kHeaders, 0)), FrameCount::kControlCost, 1e-9);
}

TEST(FrameCountTest, BytesMayComeInPiecesOfAnySize) {
  for (const std::size_t piece : {1U, 2U, 7U, 9U, 24U, 1000U}) {
    FrameCount frames;
    double cost = 0;
    for (std::size_t i = 0; i < kSome.size(); i += piece) {
      cost += frames.Add(std::string_view(kSome).substr(i, piece));
    }
    EXPECT_NEAR(cost, kCostOfSome, 1e-9) << piece;
  }
}

TEST(FrameCountTest, ThePrefaceCostsNothing) {
  FrameCount frames;
  EXPECT_EQ(frames.Add(kPreface), 0);
  EXPECT_EQ(frames.Add({}), 0);
}

}  // namespace
}  // namespace coolspan
