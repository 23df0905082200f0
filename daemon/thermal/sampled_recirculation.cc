// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/sampled_recirculation.h"

#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "thermal/worst_entries.h"

namespace coolspan {

// I + K D, or its transpose, as a matrix-free operator.
class RoomOperator;

}  // namespace coolspan

// Eigen's interface for matrix-free solvers ("Matrix-free solvers" in its
// manual).
namespace Eigen::internal {
template <>
struct traits<coolspan::RoomOperator>
    : public traits<Eigen::SparseMatrix<double>> {};
}  // namespace Eigen::internal

namespace coolspan {

class RoomOperator : public Eigen::EigenBase<RoomOperator> {
 public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = int;
  enum {
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = false
  };

  RoomOperator(const HeatMatrix& heat, std::span<const double> airflow,
               bool transposed)
      : heat_(&heat), airflow_(airflow), transposed_(transposed) {}

  Eigen::Index rows() const { return heat_->zone_count(); }
  Eigen::Index cols() const { return heat_->zone_count(); }
  template <typename Rhs>
  Eigen::Product<RoomOperator, Rhs, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }

  // x + K D x, or x + D^T K x.
  Eigen::VectorXd Times(const Eigen::VectorXd& x) const {
    const std::size_t zones = airflow_.size();
    Eigen::VectorXd product = Eigen::VectorXd::Zero(x.size());
    const std::span<double> sums(product.data(), zones);
    if (transposed_) {
      std::vector<double> weights(zones);
      for (std::size_t i = 0; i < zones; ++i) {
        weights[i] = airflow_[i] * x[static_cast<Eigen::Index>(i)];
      }
      heat_->AddPull(weights, sums);
    } else {
      std::vector<ZonePower> emitters;
      for (ZoneId zone = 0; zone < zones; ++zone) {
        if (x[zone] != 0) emitters.push_back({zone, x[zone]});
      }
      heat_->AddRise(emitters, sums);
      for (std::size_t i = 0; i < zones; ++i) sums[i] *= airflow_[i];
    }
    return product + x;
  }

 private:
  const HeatMatrix* heat_;
  std::span<const double> airflow_;
  bool transposed_;
};

}  // namespace coolspan

namespace Eigen::internal {
template <typename Rhs>
struct generic_product_impl<coolspan::RoomOperator, Rhs, SparseShape,
                            DenseShape, GemvProduct>
    : generic_product_impl_base<
          coolspan::RoomOperator, Rhs,
          generic_product_impl<coolspan::RoomOperator, Rhs>> {
  template <typename Dest>
  // NOLINTNEXTLINE(readability-identifier-naming): Eigen calls it.
  static void scaleAndAddTo(Dest& dest, const coolspan::RoomOperator& room,
                            const Rhs& x, const double& factor) {
    dest.noalias() += factor * room.Times(x);
  }
};
}  // namespace Eigen::internal

namespace coolspan {
namespace {

constexpr double kTolerance = 1e-6;
constexpr int kMaxSteps = 200;

std::optional<Eigen::VectorXd> Solve(const RoomOperator& room,
                                     const Eigen::VectorXd& right) {
  Eigen::BiCGSTAB<RoomOperator, Eigen::IdentityPreconditioner> solver;
  solver.setTolerance(kTolerance);
  solver.setMaxIterations(kMaxSteps);
  solver.compute(room);
  Eigen::VectorXd x = solver.solve(right);
  if (solver.info() != Eigen::Success || !x.allFinite()) return std::nullopt;
  return x;
}

// Four rows with the largest sums, four with the smallest, eight evenly spaced
// in the order of sums.
std::vector<ZoneId> SampleOf(const Eigen::VectorXd& row_sums) {
  constexpr std::size_t kQuarter = 4;
  std::vector<ZoneId> by_sum(static_cast<std::size_t>(row_sums.size()));
  std::iota(by_sum.begin(), by_sum.end(), ZoneId{0});
  std::stable_sort(by_sum.begin(), by_sum.end(), [&](ZoneId a, ZoneId b) {
    return row_sums[a] > row_sums[b];
  });
  std::vector<ZoneId> sample(by_sum.begin(), by_sum.begin() + kQuarter);
  sample.insert(sample.end(), by_sum.end() - kQuarter, by_sum.end());
  for (std::size_t i = 0; i < 2 * kQuarter; ++i) {
    sample.push_back(
        static_cast<ZoneId>(by_sum.size() * (2 * i + 1) / (4 * kQuarter)));
  }
  std::sort(sample.begin(), sample.end());
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  return sample;
}

}  // namespace

absl::StatusOr<Recirculation> SampledRecirculation(
    const HeatMatrix& heat, std::span<const double> airflow_w_per_k) {
  const auto zones = static_cast<Eigen::Index>(heat.zone_count());
  const RoomOperator room(heat, airflow_w_per_k, false);
  const RoomOperator transposed(heat, airflow_w_per_k, true);
  const auto failed = [] {
    return absl::InvalidArgumentError(
        "the solver for (I + K D)^-1 did not converge within 200 steps, as it "
        "does for a physical D; check the order of rows and columns, and the "
        "airflow");
  };
  // A^T = I - (I + K D)^-1, so the row sums of A are 1 - (I + K D)^-T 1 and its
  // column sums 1 - (I + K D)^-1 1.
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(zones);
  const auto outgoing = Solve(transposed, ones);
  const auto incoming = Solve(room, ones);
  // The inlet shares: K^-1 A^T K 1 = 1 - K^-1 (I + K D)^-1 K 1.
  const Eigen::Map<const Eigen::VectorXd> airflow(airflow_w_per_k.data(),
                                                  zones);
  const auto mixed = Solve(room, airflow);
  if (!outgoing || !incoming || !mixed) return failed();
  const Eigen::VectorXd row_sums = ones - *outgoing;
  const Eigen::VectorXd column_sums = ones - *incoming;
  const Eigen::VectorXd inlet_shares = ones - mixed->cwiseQuotient(airflow);
  Recirculation found;
  WorstEntries worst;
  for (const ZoneId row : SampleOf(row_sums)) {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(zones);
    unit[row] = 1;
    const auto column = Solve(room, unit);
    if (!column) return failed();
    const Eigen::VectorXd shares = unit - *column;
    worst.AddRow(row, {shares.data(), heat.zone_count()});
    ++found.rows;
  }
  worst.MoveInto(found);
  const std::size_t count = heat.zone_count();
  found.SetSums({row_sums.data(), count}, {column_sums.data(), count},
                {inlet_shares.data(), count});
  const Eigen::VectorXd out = row_sums.cwiseProduct(airflow);
  const Eigen::VectorXd in = inlet_shares.cwiseProduct(airflow);
  const double total = (out + in).cwiseAbs().sum();
  found.asymmetry = total > 0 ? (out - in).cwiseAbs().sum() / total : 0;
  found.airflow_w_per_k = airflow_w_per_k.front();
  return found;
}

}  // namespace coolspan
