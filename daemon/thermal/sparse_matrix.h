// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_SPARSE_MATRIX_H_
#define COOLSPAN_THERMAL_SPARSE_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "thermal/matrix_entry.h"

namespace coolspan {

// A matrix most of whose entries are 0, by row and by column. Immutable,
// thread-safe.
class SparseMatrix {
 public:
  // What a row or a column has that is not 0; index ascends.
  struct Line {
    std::span<const std::uint32_t> index;
    std::span<const double> value;
    std::size_t size() const { return index.size(); }
  };

  // Entries in any order; those that are 0 are left out.
  // Errors: INVALID_ARGUMENT for an entry outside, one that is not finite, two
  // for one place; the message counts rows and columns from 1.
  static absl::StatusOr<SparseMatrix> Create(
      std::uint32_t rows, std::uint32_t columns,
      std::span<const MatrixEntry> entries);

  std::uint32_t rows() const { return by_row_.count(); }
  std::uint32_t columns() const { return by_column_.count(); }
  std::size_t size() const { return by_row_.value.size(); }
  Line Row(std::uint32_t row) const { return by_row_.At(row); }
  Line Column(std::uint32_t column) const { return by_column_.At(column); }
  double At(std::uint32_t row, std::uint32_t column) const;

  // result += matrix * vector, result += transpose * vector; lines whose
  // factor is 0 cost nothing.
  void AddProduct(std::span<const double> vector,
                  std::span<double> result) const;
  void AddTransposed(std::span<const double> vector,
                     std::span<double> result) const;

 private:
  struct Lines {
    std::vector<std::size_t> first;  // of each line, and the end
    std::vector<std::uint32_t> index;
    std::vector<double> value;

    std::uint32_t count() const {
      return static_cast<std::uint32_t>(first.size() - 1);
    }
    Line At(std::uint32_t line) const {
      const std::size_t begin = first[line];
      const std::size_t size = first[line + 1] - begin;
      return {{index.data() + begin, size}, {value.data() + begin, size}};
    }
    void AddScaled(std::uint32_t line, double factor,
                   std::span<double> result) const;
  };
  SparseMatrix() = default;

  Lines by_row_;
  Lines by_column_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_SPARSE_MATRIX_H_
