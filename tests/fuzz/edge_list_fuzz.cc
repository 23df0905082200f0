// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as an edge list.
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  coolspan::CheckMachine(
      "topology: {kind: graph, edges: FILE}\nnodes: \"n[1-3]\"\n",
      coolspan::PathOf(data, size));
  return 0;
}
