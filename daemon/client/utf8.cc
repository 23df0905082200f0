// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/utf8.h"

#include <cstddef>

namespace coolspan {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// What may follow a first byte. Later bytes are 0x80 to 0xBF.
struct Follow {
  std::size_t bytes;  // of the whole character; 0: not a first byte
  unsigned char min_second = 0x80;
  unsigned char max_second = 0xbf;
};

// Unicode 15.0, table 3-7, "Well-Formed UTF-8 Byte Sequences".
Follow FollowOf(unsigned char first) {
  if (first < 0x80) return {1};
  if (first < 0xc2) return {0};  // continuation bytes and overlong forms
  if (first < 0xe0) return {2};
  if (first == 0xe0) return {3, 0xa0, 0xbf};  // lower: overlong
  if (first == 0xed) return {3, 0x80, 0x9f};  // higher: surrogates
  if (first < 0xf0) return {3};
  if (first == 0xf0) return {4, 0x90, 0xbf};  // lower: overlong
  if (first < 0xf4) return {4};
  if (first == 0xf4) return {4, 0x80, 0x8f};  // higher: above U+10FFFF
  return {0};
}

struct Sequence {
  std::size_t bytes;  // at least 1
  bool valid;
};

// The first character of the text, or its longest beginning if it is invalid.
// REQUIRES text not empty.
Sequence FirstSequence(std::string_view text) {
  const Follow follow = FollowOf(static_cast<unsigned char>(text[0]));
  if (follow.bytes == 0) return {1, false};
  for (std::size_t i = 1; i < follow.bytes; ++i) {
    if (i == text.size()) return {i, false};
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char min = i == 1 ? follow.min_second : 0x80;
    const unsigned char max = i == 1 ? follow.max_second : 0xbf;
    if (byte < min || byte > max) return {i, false};
  }
  return {follow.bytes, true};
}

}  // namespace

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Sequence sequence = FirstSequence(text);
    valid += sequence.valid ? text.substr(0, sequence.bytes) : kReplacement;
    text.remove_prefix(sequence.bytes);
  }
  return valid;
}

}  // namespace coolspan
