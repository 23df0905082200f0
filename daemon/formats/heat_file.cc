// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heat_file.h"

#include "formats/file_error.h"
#include "formats/heat_factors_file.h"
#include "formats/matrix_file.h"
#include "formats/number_words.h"
#include "thermal/dense_heat.h"
#include "thermal/make_heat.h"

namespace coolspan {
namespace {

using Heat = std::shared_ptr<const HeatMatrix>;

absl::StatusOr<bool> IsInFactors(const std::string& path) {
  auto words = NumberWords::Open(path);
  if (!words.ok()) return words.status();
  const absl::StatusOr<bool> more = words->Next();
  if (!more.ok()) return more.status();
  return *more && words->line().front() == kHeatFactorsWord;
}

template <typename Made>
absl::StatusOr<Heat> Named(const std::string& path, const Made& made) {
  if (made.ok()) return Heat(*made);
  return ErrorAt(path, {}, MessageOf(made.status()));
}

}  // namespace

absl::StatusOr<Heat> ReadHeatFile(const std::string& path) {
  const absl::StatusOr<bool> in_factors = IsInFactors(path);
  if (!in_factors.ok()) return in_factors.status();
  if (*in_factors) {
    const auto factors = ReadHeatFactors(path);
    if (!factors.ok()) return factors.status();
    return Named(path, LowRankHeat::Create(*factors));
  }
  const absl::StatusOr<SquareMatrix> matrix = ReadMatrixFile(path);
  if (!matrix.ok()) return matrix.status();
  if (matrix->is_dense) {
    return Named(path, DenseHeat::Create(matrix->size, matrix->values));
  }
  return Named(path, MakeHeat(matrix->size, matrix->entries));
}

}  // namespace coolspan
