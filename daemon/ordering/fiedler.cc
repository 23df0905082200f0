// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/fiedler.h"

#include <Eigen/Eigenvalues>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>

namespace coolspan {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

// Small enough for a dense solver.
constexpr Index kCoarsest = 32;
constexpr int kInverseIterations = 2;
constexpr int kSolverSteps = 15;

struct Level {
  Matrix laplacian;
  Vector mass;  // number of original vertices merged into each
};

Matrix Laplacian(const WeightedGraph& graph) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(graph.edges.size() * 4);
  for (const WeightedEdge& edge : graph.edges) {
    const auto a = static_cast<int>(edge.a);
    const auto b = static_cast<int>(edge.b);
    entries.emplace_back(a, b, -edge.weight);
    entries.emplace_back(b, a, -edge.weight);
    entries.emplace_back(a, a, edge.weight);
    entries.emplace_back(b, b, edge.weight);
  }
  const auto size = static_cast<Index>(graph.vertices);
  Matrix laplacian(size, size);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  return laplacian;
}

// Merges each vertex with the free neighbour of the largest weight over mass;
// vertices without a free neighbour are merged in pairs that share their
// nearest neighbour, as around the hub of a star. So at most two vertices
// become one. Returns the coarse vertex of each.
std::vector<int> Merge(const Level& level) {
  constexpr int kFree = -1;
  const Index size = level.laplacian.cols();
  std::vector<int> merged(static_cast<std::size_t>(size), kFree);
  std::vector<int> unpaired_at(static_cast<std::size_t>(size), kFree);
  int count = 0;
  for (Index v = 0; v < size; ++v) {
    int& own = merged[static_cast<std::size_t>(v)];
    if (own != kFree) continue;
    Index best = -1;
    double best_pull = 0;
    bool best_free = false;
    for (Matrix::InnerIterator entry(level.laplacian, v); entry; ++entry) {
      if (entry.row() == v) continue;
      const bool free = merged[static_cast<std::size_t>(entry.row())] == kFree;
      const double pull = -entry.value() / level.mass[entry.row()];
      if (best < 0 || (free && !best_free) ||
          (free == best_free && pull > best_pull)) {
        best = entry.row();
        best_pull = pull;
        best_free = free;
      }
    }
    if (best < 0) {
      own = count++;
      continue;
    }
    int& partner = best_free ? merged[static_cast<std::size_t>(best)]
                             : unpaired_at[static_cast<std::size_t>(best)];
    own = partner == kFree ? count++ : partner;
    partner = partner == kFree ? own : kFree;
  }
  return merged;
}

Level Coarsen(const Level& fine, const std::vector<int>& merged, int count) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(fine.laplacian.nonZeros()));
  Level coarse{Matrix(count, count), Vector::Zero(count)};
  for (Index v = 0; v < fine.laplacian.cols(); ++v) {
    const int into = merged[static_cast<std::size_t>(v)];
    coarse.mass[into] += fine.mass[v];
    for (Matrix::InnerIterator entry(fine.laplacian, v); entry; ++entry) {
      entries.emplace_back(merged[static_cast<std::size_t>(entry.row())], into,
                           entry.value());
    }
  }
  coarse.laplacian.setFromTriplets(entries.begin(), entries.end());
  // The analyser does not follow how Eigen's matrix frees its memory.
  return coarse;  // NOLINT(clang-analyzer-unix.Malloc)
}  // NOLINT(clang-analyzer-unix.Malloc)

// Removes the constant part, the eigenvector of eigenvalue 0, from x.
void Deflate(const Level& level, Vector& x) {
  x.array() -= level.mass.dot(x) / level.mass.sum();
}

Vector SolveDense(const Level& level) {
  const Vector scale = level.mass.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() *
                                 Eigen::MatrixXd(level.laplacian) *
                                 scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  return scale.cwiseProduct(solver.eigenvectors().col(1));
}

void Iterate(const Level& level, Vector& x) {
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> solver;
  solver.setMaxIterations(kSolverSteps);
  solver.setTolerance(1e-6);
  solver.compute(level.laplacian);
  for (int i = 0; i < kInverseIterations; ++i) {
    Deflate(level, x);
    const Vector right = level.mass.cwiseProduct(x);
    const double value = x.dot(level.laplacian * x) / x.dot(right);
    x = solver.solveWithGuess(right, x / value);
    x /= x.norm();
  }
  Deflate(level, x);
}

Vector Solve(const Level& level) {
  const Index size = level.laplacian.cols();
  if (size <= kCoarsest) return SolveDense(level);
  const std::vector<int> merged = Merge(level);
  int count = 0;
  for (const int into : merged) count = std::max(count, into + 1);
  Vector x(size);
  const Vector coarse = Solve(Coarsen(level, merged, count));
  for (Index v = 0; v < size; ++v) {
    x[v] = coarse[merged[static_cast<std::size_t>(v)]];
  }
  Iterate(level, x);
  return x;
}

}  // namespace

std::vector<double> FiedlerVector(const WeightedGraph& graph) {
  const auto size = static_cast<Index>(graph.vertices);
  Vector x = Solve({Laplacian(graph), Vector::Ones(size)});
  if (x[0] > 0) x = -x;
  return {x.data(), x.data() + x.size()};
}

}  // namespace coolspan
