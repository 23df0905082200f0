// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the topology.conf of topology/block.
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  coolspan::CheckMachine("topology: {kind: blocks, slurm_topology: FILE}\n",
                         coolspan::PathOf(data, size));
  return 0;
}
