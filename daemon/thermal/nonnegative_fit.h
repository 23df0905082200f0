// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_NONNEGATIVE_FIT_H_
#define COOLSPAN_THERMAL_NONNEGATIVE_FIT_H_

#include <Eigen/Core>

namespace coolspan {

// Non-negative least squares from the normal equations:
//   min over x >= 0 of x^T G x / 2 - t^T x,  G = gram, t = target.
// Block principal pivoting (Portugal, Judice, Vicente, "A comparison of block
// pivoting and interior-point algorithms for linear least squares problems with
// nonnegative variables", 1994). It ends because it exchanges single variables
// whenever exchanges of whole blocks make no progress, as in that paper.
// REQUIRES a positive definite gram.
Eigen::VectorXd NonNegativeFit(const Eigen::MatrixXd& gram,
                               const Eigen::VectorXd& target);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_NONNEGATIVE_FIT_H_
