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

template <typename Matrix>
absl::StatusOr<Heat> WithPath(const std::string& path,
                              const absl::StatusOr<Matrix>& heat) {
  if (heat.ok()) return Heat(*heat);
  return ErrorAt(path, {}, MessageOf(heat.status()));
}

}  // namespace

absl::StatusOr<Heat> ReadHeatFile(const std::string& path) {
  const absl::StatusOr<bool> in_factors = IsInFactors(path);
  if (!in_factors.ok()) return in_factors.status();
  if (*in_factors) {
    const auto factors = ReadHeatFactors(path);
    if (!factors.ok()) return factors.status();
    return WithPath(path, LowRankHeat::Create(*factors));
  }
  const absl::StatusOr<SquareMatrix> matrix = ReadMatrixFile(path);
  if (!matrix.ok()) return matrix.status();
  if (matrix->is_dense) {
    return WithPath(path, DenseHeat::Create(matrix->size, matrix->values));
  }
  return WithPath(path, MakeHeat(matrix->size, matrix->entries));
}

}  // namespace coolspan
