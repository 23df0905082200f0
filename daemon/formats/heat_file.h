// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_HEAT_FILE_H_
#define COOLSPAN_FORMATS_HEAT_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"

namespace coolspan {

// Reads D in any of its formats, detected by the first word: factors
// (heat_factors_file.h), or a matrix (matrix_file.h). A matrix in coordinate
// form is stored dense or sparse, whichever takes less memory.
// Errors: those of the two readers; "PATH: ..." for an entry specified more
// than once.
absl::StatusOr<std::shared_ptr<const HeatMatrix>> ReadHeatFile(
    const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_HEAT_FILE_H_
