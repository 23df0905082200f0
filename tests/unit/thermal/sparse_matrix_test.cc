// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/sparse_matrix.h"

#include <gtest/gtest.h>

#include <vector>

namespace coolspan {
namespace {

TEST(SparseMatrixTest, ZerosAreLeftOutAndAreNotDuplicates) {
  const std::vector<MatrixEntry> entries = {
      {1, 0, 3}, {0, 1, 0}, {0, 1, 5}, {1, 1, 0}};
  const auto matrix = SparseMatrix::Create(2, 2, entries).value();
  EXPECT_EQ(matrix->size(), 2U);
  std::vector<double> product = {1, 1};
  matrix->AddProduct(std::vector<double>{2, 4}, product);
  EXPECT_EQ(product, (std::vector<double>{21, 7}));
  std::vector<double> transposed = {0, 0};
  matrix->AddTransposed(std::vector<double>{2, 4}, transposed);
  EXPECT_EQ(transposed, (std::vector<double>{12, 10}));
}

TEST(SparseMatrixTest, RefusesMoreRowsThanEigenIndexes) {
  EXPECT_TRUE(SparseMatrix::Check((1U << 31) - 1, 1, {}).ok());
  EXPECT_EQ(SparseMatrix::Check(1U << 31, 1, {}).message(),
            "2147483648 x 1 matrix with 0 entries (expected at most 2147483647 "
            "rows, columns and entries)");
}

}  // namespace
}  // namespace coolspan
