// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/nonnegative_fit.h"

#include <Eigen/Cholesky>
#include <vector>

namespace coolspan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The unconstrained optimum over the free variables; the others are 0.
VectorXd FitOfFree(const MatrixXd& gram, const VectorXd& target,
                   const std::vector<bool>& is_free) {
  std::vector<Index> free;
  for (Index i = 0; i < target.size(); ++i) {
    if (is_free[static_cast<std::size_t>(i)]) free.push_back(i);
  }
  VectorXd x = VectorXd::Zero(target.size());
  if (free.empty()) return x;
  const MatrixXd free_gram = gram(free, free);
  const VectorXd free_target = target(free);
  const VectorXd fitted = free_gram.llt().solve(free_target);
  x(free) = fitted;
  return x;
}

}  // namespace

VectorXd NonNegativeFit(const MatrixXd& gram, const VectorXd& target) {
  constexpr int kTriesWithBlocks = 3;
  const Index size = target.size();
  // Tolerances for "not negative" of the slope and, below, of x.
  const double slope_slack = 1e-12 * target.cwiseAbs().maxCoeff();
  std::vector<bool> is_free(static_cast<std::size_t>(size), true);
  Index fewest = size + 1;
  int tries = kTriesWithBlocks;
  while (true) {
    const VectorXd x = FitOfFree(gram, target, is_free);
    const VectorXd slope = gram * x - target;
    const double slack = 1e-12 * x.cwiseAbs().maxCoeff();
    std::vector<std::size_t> wrong;
    for (Index i = 0; i < size; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (is_free[place] ? x[i] < -slack : slope[i] < -slope_slack) {
        wrong.push_back(place);
      }
    }
    if (wrong.empty()) return x.cwiseMax(0.0);
    if (static_cast<Index>(wrong.size()) < fewest) {
      fewest = static_cast<Index>(wrong.size());
      tries = kTriesWithBlocks;
    } else if (tries > 0) {
      --tries;
    } else {
      wrong = {wrong.back()};
    }
    for (const std::size_t place : wrong) is_free[place] = !is_free[place];
  }
}

}  // namespace coolspan
