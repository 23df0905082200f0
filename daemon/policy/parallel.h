// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_PARALLEL_H_
#define COOLSPAN_POLICY_PARALLEL_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace coolspan {

// Calls work(begin, end) for pieces that make up [0, count), each of at most
// piece items, on all cores where there is more than one piece. The pieces are
// the same whatever the number of cores. Returns when all are done. work is
// called from several threads at once and does not throw.
void ForEachPiece(
    std::size_t count, std::size_t piece,
    absl::FunctionRef<void(std::size_t begin, std::size_t end)> work);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_PARALLEL_H_
