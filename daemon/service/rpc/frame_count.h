// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_FRAME_COUNT_H_
#define COOLSPAN_SERVICE_RPC_FRAME_COUNT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace coolspan {

// Counts what a client's HTTP/2 frames cost, from the bytes of its connection
// in pieces of any size (RFC 9113, section 4.1: a length of three bytes, a
// type, and five more bytes before the payload).
class FrameCount {
 public:
  // Cost of a frame that begins, cancels or asks for something: a call costs a
  // few. A frame with a part of a message costs less, as streams have many.
  static constexpr double kControlCost = 1;
  static constexpr double kMessageCost = 0.05;

  // The cost of the frames that begin in these bytes.
  double Add(std::string_view bytes);

 private:
  static constexpr std::size_t kPrefaceBytes = 24;
  static constexpr std::size_t kHeaderBytes = 9;

  // Of the preface, then of payloads: to skip before the next header.
  std::uint64_t to_skip_ = kPrefaceBytes;
  std::array<unsigned char, kHeaderBytes> header_{};
  std::size_t header_size_ = 0;  // its bytes so far
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_FRAME_COUNT_H_
