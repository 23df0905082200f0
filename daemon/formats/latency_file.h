// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_LATENCY_FILE_H_
#define COOLSPAN_FORMATS_LATENCY_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/types.h"
#include "topology/latency_matrix.h"

namespace coolspan {

// Reads a matrix of measured latencies; row and column i belong to node i. The
// two directions of a pair are averaged.
// Errors: as ReadMatrixFile; INVALID_ARGUMENT "file: ..." for a number of rows
// other than nodes and for an entry not from 0 to LatencyMatrix::kMax.
absl::StatusOr<std::shared_ptr<const LatencyMatrix>> ReadLatencyFile(
    const std::string& path, NodeCount nodes);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_LATENCY_FILE_H_
