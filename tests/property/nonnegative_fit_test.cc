// SPDX-License-Identifier: GPL-3.0-or-later
// The optimum against a search over all sets of variables that may be 0.
#include "thermal/nonnegative_fit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace coolspan {
namespace {

double Value(const Eigen::MatrixXd& gram, const Eigen::VectorXd& target,
             const Eigen::VectorXd& x) {
  return x.dot(gram * x) / 2 - target.dot(x);
}

double NaiveMinimum(const Eigen::MatrixXd& gram,
                    const Eigen::VectorXd& target) {
  const Eigen::Index size = target.size();
  double minimum = 0;  // x = 0
  for (unsigned set = 1; set < 1U << size; ++set) {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < size; ++i) {
      if ((set >> i & 1) != 0) free.push_back(i);
    }
    const Eigen::MatrixXd part = gram(free, free);
    const Eigen::VectorXd part_target = target(free);
    const Eigen::VectorXd x = part.ldlt().solve(part_target);
    if (x.minCoeff() < 0) continue;
    minimum = std::min(minimum, Value(part, part_target, x));
  }
  return minimum;
}

RC_GTEST_PROP(NonNegativeFitProperty, IsOptimal, (std::uint32_t seed)) {
  std::minstd_rand random(seed);
  std::normal_distribution<double> value(0, 1);
  const auto draw = [&] { return value(random); };
  const auto size = static_cast<Eigen::Index>(1 + random() % 6);
  const Eigen::MatrixXd half = Eigen::MatrixXd::NullaryExpr(size, size, draw);
  const Eigen::MatrixXd gram =
      half * half.transpose() + 1e-3 * Eigen::MatrixXd::Identity(size, size);
  const Eigen::VectorXd target = Eigen::VectorXd::NullaryExpr(size, draw);
  const Eigen::VectorXd x = NonNegativeFit(gram, target);
  RC_ASSERT(x.minCoeff() >= 0);
  const double minimum = NaiveMinimum(gram, target);
  RC_ASSERT(Value(gram, target, x) <= minimum + 1e-8 * (1 + std::abs(minimum)));
}

}  // namespace
}  // namespace coolspan
