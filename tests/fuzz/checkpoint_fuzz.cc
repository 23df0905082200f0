// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the checkpoint of a replay: reports of runs, or an error
// of one line.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/expect.h"
#include "fuzz/memory_file.h"
#include "replay/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  const auto checkpoint = Checkpoint::Open(PathOf(data, size), "identity");
  if (!checkpoint.ok()) ExpectOneLine(checkpoint.status(), "");
  return 0;
}
