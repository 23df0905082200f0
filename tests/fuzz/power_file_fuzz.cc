// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the power file of three nodes.
#include <cmath>

#include "formats/power_file.h"
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  static const auto machine =
      coolspan::ParseMachineFile(
          "name: m\ntopology: {kind: mesh, dims: [3]}\nnodes: \"n[1-3]\"\n",
          "/fuzz.yaml")
          .value();
  const std::string path = coolspan::PathOf(data, size);
  const auto powers = coolspan::ReadPowerFile(path, *machine);
  if (!powers.ok()) {
    coolspan::ExpectOneLine(powers.status(), path);
    return 0;
  }
  Expect(powers->size() == 3);
  for (const auto& watts : *powers) {
    Expect(!watts.has_value() || (std::isfinite(*watts) && *watts >= 0));
  }
  return 0;
}
