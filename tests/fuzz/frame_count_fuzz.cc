// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a connection's bytes is that of its frames, however the bytes
// are cut: the first byte of the input says in pieces of how many.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.h"
#include "service/rpc/frame_count.h"

namespace coolspan {
namespace {

// Frames of whole connections, found by their lengths.
double CostOfFrames(std::string_view bytes) {
  constexpr std::size_t kPreface = 24;
  constexpr std::size_t kHeader = 9;
  double cost = 0;
  std::size_t at = kPreface;
  while (at <= bytes.size() && bytes.size() - at >= kHeader) {
    const auto byte = [&](std::size_t i) -> std::size_t {
      return static_cast<unsigned char>(bytes[at + i]);
    };
    const bool is_message = byte(3) == 0 || byte(3) == 8;
    cost += is_message ? FrameCount::kMessageCost : FrameCount::kControlCost;
    at += kHeader + byte(0) * 65536 + byte(1) * 256 + byte(2);
  }
  return cost;
}

double CostInPieces(std::string_view bytes, std::size_t piece) {
  FrameCount count;
  double cost = 0;
  while (!bytes.empty()) {
    cost += count.Add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return cost;
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const double expected = CostOfFrames(bytes);
  FrameCount count;
  Expect(std::abs(count.Add(bytes) - expected) < 1e-6);
  Expect(std::abs(CostInPieces(bytes, data[0] + std::size_t{1}) - expected) <
         1e-6);
  return 0;
}
