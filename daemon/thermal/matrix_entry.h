// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_MATRIX_ENTRY_H_
#define COOLSPAN_THERMAL_MATRIX_ENTRY_H_

#include <cstdint>

namespace coolspan {

struct MatrixEntry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0;

  friend bool operator==(const MatrixEntry&, const MatrixEntry&) = default;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_MATRIX_ENTRY_H_
