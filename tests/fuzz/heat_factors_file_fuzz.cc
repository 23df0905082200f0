// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as D in factors: a one-line error, or a matrix with
// consistent methods.
#include <cmath>

#include "formats/heat_file.h"
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  const std::string path = coolspan::PathOf(data, size);
  const auto heat = coolspan::ReadHeatFile(path);
  if (!heat.ok()) {
    coolspan::ExpectOneLine(heat.status(), path);
    Expect(heat.status().message().size() < 2000);
    return 0;
  }
  const coolspan::ZoneId zones = (*heat)->zone_count();
  if (zones > 1000) return 0;
  std::vector<double> row(zones);
  for (coolspan::ZoneId zone = 0; zone < zones; zone += 1 + zones / 16) {
    (*heat)->CopyRow(zone, row);
    const double at = (*heat)->At(zone, zones - 1 - zone);
    const double copied = row[zones - 1 - zone];
    if (!std::isfinite(at) || !std::isfinite(copied)) continue;
    Expect(std::abs(at - copied) <= 1e-9 * (1 + std::abs(at)) ||
           std::abs(at) > 1e9);
  }
  return 0;
}
