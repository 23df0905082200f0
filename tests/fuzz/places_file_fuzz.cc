// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a file of places.
#include <cstdint>

#include "formats/places_file.h"
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  const std::string path = coolspan::PathOf(data, size);
  const auto places = coolspan::ReadPlacesFile(path);
  if (!places.ok()) {
    coolspan::ExpectOneLine(places.status(), path);
    return 0;
  }
  Expect(!places->nodes.empty());
  std::uint32_t next = 0;  // vertices ascend
  for (const auto& node : places->nodes) {
    Expect(node.row < places->rows() && node.slot < places->slots);
    Expect(node.rack < places->rack_names[node.row].size());
    Expect(node.VertexIn(*places) >= next);
    next = node.VertexIn(*places) + 1;
  }
  return 0;
}
