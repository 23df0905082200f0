// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as a coordinates file or Cray's processor table.
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  coolspan::CheckMachine("topology: {kind: mesh}\ncoordinates: FILE\n",
                         coolspan::PathOf(data, size));
  return 0;
}
