// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_SPARSE_MATRIX_H_
#define COOLSPAN_THERMAL_SPARSE_MATRIX_H_

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "thermal/matrix_entry.h"

namespace coolspan {

// A sparse matrix, stored by row and by column. Immutable, thread-safe.
class SparseMatrix {
 public:
  using ByRow = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  using ByColumn = Eigen::SparseMatrix<double, Eigen::ColMajor>;

  // Entries in any order; zeros are left out.
  // Errors: INVALID_ARGUMENT for an entry outside the matrix or not finite, two
  // entries for one place, more rows, columns or entries than 2^31 - 1 (Eigen's
  // index); messages count rows and columns from 1.
  static absl::StatusOr<std::unique_ptr<const SparseMatrix>> Create(
      std::uint32_t rows, std::uint32_t columns,
      std::span<const MatrixEntry> entries);
  // The errors of Create except for two entries for one place.
  static absl::Status Check(std::uint32_t rows, std::uint32_t columns,
                            std::span<const MatrixEntry> entries);

  std::uint32_t rows() const {
    return static_cast<std::uint32_t>(by_row_.rows());
  }
  std::uint32_t columns() const {
    return static_cast<std::uint32_t>(by_row_.cols());
  }
  // Entries that are not 0.
  std::size_t size() const {
    return static_cast<std::size_t>(by_row_.nonZeros());
  }
  // Both compressed, indices ascending in each row or column.
  const ByRow& by_row() const { return by_row_; }
  const ByColumn& by_column() const { return by_column_; }

  // result += M v, by columns; those with v_j = 0 cost nothing, unlike in
  // Eigen's own product.
  void AddProduct(std::span<const double> vector,
                  std::span<double> result) const;
  // result += M^T v, by rows.
  void AddTransposed(std::span<const double> vector,
                     std::span<double> result) const;

 private:
  SparseMatrix() = default;

  ByRow by_row_;
  ByColumn by_column_;
};

// result += factor * line, a row of ByRow or a column of ByColumn.
template <typename Matrix>
void AddScaled(const Matrix& matrix, Eigen::Index line, double factor,
               std::span<double> result) {
  for (typename Matrix::InnerIterator entry(matrix, line); entry; ++entry) {
    result[static_cast<std::size_t>(entry.index())] += factor * entry.value();
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_SPARSE_MATRIX_H_
