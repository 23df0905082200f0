// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_NONNEGATIVE_FIT_H_
#define COOLSPAN_THERMAL_NONNEGATIVE_FIT_H_

#include <Eigen/Core>

namespace coolspan {

// The x >= 0 of the least x^T gram x / 2 - target^T x: least squares by its
// normal equations. Block principal pivoting (Portugal, Judice, Vicente, "A
// comparison of block pivoting and interior-point algorithms for linear least
// squares problems with nonnegative variables", 1994), with their rule of
// single exchanges where blocks make no headway, which makes it finite.
// REQUIRES a positive definite gram.
Eigen::VectorXd NonNegativeFit(const Eigen::MatrixXd& gram,
                               const Eigen::VectorXd& target);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_NONNEGATIVE_FIT_H_
