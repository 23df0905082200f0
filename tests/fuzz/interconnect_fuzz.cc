// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the dump of an Aries network.
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  coolspan::CheckMachine(
      "topology: {kind: dragonfly, links: FILE}\nnodes: \"n[1-2]\"\n",
      coolspan::PathOf(data, size));
  return 0;
}
