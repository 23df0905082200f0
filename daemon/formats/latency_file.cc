// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/latency_file.h"

#include <fmt/format.h>

#include <vector>

#include "core/counted.h"
#include "formats/matrix_file.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const LatencyMatrix>> ReadLatencyFile(
    const std::string& path, NodeCount nodes) {
  const auto matrix = ReadMatrixFile(path);
  if (!matrix.ok()) return matrix.status();
  const auto refuse = [&path](const std::string& message) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", path, message));
  };
  if (matrix->size != nodes) {
    return refuse(
        fmt::format("{}, {} in the machine (expected one row per node)",
                    Counted(matrix->size, "row"), Counted(nodes, "node")));
  }
  const std::vector<double> values = matrix->Values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] <= LatencyMatrix::kMax) continue;
    return refuse(fmt::format(
        "row {}, column {}: {} is not a latency (expected a number from 0 to "
        "{})",
        i / nodes + 1, i % nodes + 1, values[i], LatencyMatrix::kMax));
  }
  return LatencyMatrix::Create(
      nodes, std::vector<float>(values.begin(), values.end()));
}

}  // namespace coolspan
