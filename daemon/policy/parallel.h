// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_PARALLEL_H_
#define COOLSPAN_POLICY_PARALLEL_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace coolspan {

// Splits [0, count) into pieces of at most `piece` items and calls
// work(begin, end) for each, in parallel if there is more than one. The pieces
// do not depend on the number of cores. Returns when all are done. `work` is
// called from several threads concurrently; the first exception of it is thrown
// when the pieces that had begun are done.
void ForEachPiece(
    std::size_t count, std::size_t piece,
    absl::FunctionRef<void(std::size_t begin, std::size_t end)> work);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_PARALLEL_H_
