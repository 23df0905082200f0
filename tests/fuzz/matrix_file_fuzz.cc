// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as the matrix of a room of three zones, and as the latencies
// of three nodes.
#include <cmath>

#include "formats/latency_file.h"
#include "formats/matrix_file.h"
#include "fuzz/network_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Require;
  const std::string path = coolspan::PathOf(data, size);
  const auto matrix = coolspan::ReadMatrixFile(path);
  if (!matrix.ok()) {
    const std::string message(matrix.status().message());
    Require(message.find(path) == 0 && message.find('\n') == std::string::npos);
    return 0;
  }
  Require(matrix->size > 0);
  const auto latencies = coolspan::ReadLatencyFile(path, 3);
  if (latencies.ok()) {
    Require(matrix->size == 3 && (*latencies)->Between(0, 2) >= 0);
  } else {
    Require(latencies.status().message().find(path) == 0);
  }
  for (const auto& entry : matrix->entries) {
    Require(entry.row < matrix->size && entry.column < matrix->size);
    Require(std::isfinite(entry.value));
  }
  for (const double value : matrix->values) Require(std::isfinite(value));
  if (matrix->size <= 100) {
    Require(matrix->Values().size() == matrix->size * matrix->size);
  }
  coolspan::CheckMachine(
      "topology: {kind: mesh, dims: [3]}\nnodes: \"n[1-3]\"\nnode_types:\n"
      "  - {name: a, nodes: \"n[1-3]\", idle_w: 1, compute_w: 3, "
      "communicate_w: 2}\n"
      "thermal: {heat_distribution: FILE, supply_c: 15, redline_c: 30}\n",
      path);
  return 0;
}
