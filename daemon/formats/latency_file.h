// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_LATENCY_FILE_H_
#define COOLSPAN_FORMATS_LATENCY_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/types.h"
#include "topology/latency_matrix.h"

namespace coolspan {

// Reads measured latencies, row and column i those of node i; the two
// directions of a pair are made their mean.
// Errors: ReadMatrixFile's; INVALID_ARGUMENT "file: ..." for another number of
// rows than nodes and a latency that is none.
absl::StatusOr<std::shared_ptr<const LatencyMatrix>> ReadLatencyFile(
    const std::string& path, NodeCount nodes);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_LATENCY_FILE_H_
