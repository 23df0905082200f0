// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a bitmap, the number of nodes in the first two: an error,
// or a set with the same bits that is written back unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/node_set.h"
#include "fuzz/expect.h"

namespace coolspan {
namespace {

bool BitOf(std::string_view bytes, std::size_t bit) {
  return (static_cast<unsigned char>(bytes[bit / 8]) >> (bit % 8) & 1U) != 0;
}

void Check(std::string_view bytes, NodeCount size) {
  const auto set = NodeSet::FromBytes(bytes, size);
  bool sound = bytes.size() == (std::size_t{size} + 7) / 8;
  for (std::size_t bit = size; sound && bit < bytes.size() * 8; ++bit) {
    sound = !BitOf(bytes, bit);
  }
  Expect(set.ok() == sound);
  if (!set.ok()) return;
  NodeCount count = 0;
  NodeId next = set->FindNext(0);
  for (NodeId node = 0; node < size; ++node) {
    Expect(set->Contains(node) == BitOf(bytes, node));
    if (!set->Contains(node)) continue;
    ++count;
    Expect(next == node);
    next = set->FindNext(node + 1);
  }
  Expect(next == size && set->Count() == count);
  Expect(set->ToBytes() == bytes);
  Expect(NodeSet(size, set->Members()) == *set);
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t size) {
  if (size < 2) return 0;
  const auto nodes =
      static_cast<coolspan::NodeCount>((bytes[0] | bytes[1] << 8) % 2048);
  coolspan::Check({reinterpret_cast<const char*>(bytes) + 2, size - 2}, nodes);
  return 0;
}
