// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the matrix of a room of three zones, and as the latencies
// of three nodes.
#include <cmath>

#include "formats/latency_file.h"
#include "formats/matrix_file.h"
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  const std::string path = coolspan::PathOf(data, size);
  const auto matrix = coolspan::ReadMatrixFile(path);
  if (!matrix.ok()) {
    coolspan::ExpectOneLine(matrix.status(), path);
    return 0;
  }
  Expect(matrix->size > 0);
  const auto latencies = coolspan::ReadLatencyFile(path, 3);
  if (latencies.ok()) {
    Expect(matrix->size == 3 && (*latencies)->Between(0, 2) >= 0);
  } else {
    Expect(latencies.status().message().find(path) == 0);
  }
  for (const auto& entry : matrix->entries) {
    Expect(entry.row < matrix->size && entry.column < matrix->size);
    Expect(std::isfinite(entry.value));
  }
  for (const double value : matrix->values) Expect(std::isfinite(value));
  if (matrix->size <= 100) {
    Expect(matrix->Values().size() == matrix->size * matrix->size);
  }
  coolspan::CheckMachine(
      "topology: {kind: mesh, dims: [3]}\nnodes: \"n[1-3]\"\nnode_types:\n"
      "  - {name: a, nodes: \"n[1-3]\", idle_w: 1, compute_w: 3, "
      "communicate_w: 2}\n"
      "thermal: {heat_distribution: FILE, supply_c: 15, redline_c: 30}\n",
      path);
  return 0;
}
