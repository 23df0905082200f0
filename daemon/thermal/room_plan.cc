// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/room_plan.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "absl/status/status.h"

namespace coolspan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kernel = Eigen::SparseMatrix<double>;

// Of the room, in metres: rack width, and from one cold aisle to the next.
constexpr double kRackWidthM = 0.6;
constexpr double kAislePitchM = 4.5;
// How far exhaust air gets along an aisle and across the racks.
constexpr double kAlongM = 1.2;
constexpr double kAcrossM = 1.5;
constexpr double kMinKernel = 1e-3;
// An inlet at a row's end takes in this much more, less so further in.
constexpr double kEndGain = 1.5;
constexpr double kEndDepthM = 0.9;
// Of the room's air: to what is within reach, to all, through gaps of a rack.
constexpr double kNearWeight = 1;
constexpr double kRoomWeight = 0.15;
constexpr double kGapWeight = 0.08;
// No two nodes are alike: weights are off by up to this share.
constexpr double kSpread = 0.2;
// What is less is left out of A and of K D; far below what a physical check
// takes for more than rounding.
constexpr double kNegligible = 2e-7;

absl::Status CheckPlan(const RoomPlan& plan) {
  const double racks = double{1} * plan.rows * plan.racks;
  if (racks < 1 || racks > kMaxPlannedRacks || plan.nodes_per_rack < 1 ||
      racks * plan.nodes_per_rack > kMaxPlannedZones) {
    return absl::InvalidArgumentError(fmt::format(
        "a room of {} rows of {} racks of {} nodes; 1 to {} racks and {} nodes "
        "are wanted",
        plan.rows, plan.racks, plan.nodes_per_rack, kMaxPlannedRacks,
        kMaxPlannedZones));
  }
  if (!(plan.supply_c < plan.idle_peak_c &&
        plan.idle_peak_c < plan.full_peak_c)) {
    return absl::InvalidArgumentError(fmt::format(
        "air supplied at {} C and the hottest inlet at {} C idle and {} C in "
        "full use; each above the one before is wanted",
        plan.supply_c, plan.idle_peak_c, plan.full_peak_c));
  }
  constexpr double kMaxBusyW = 1e9;  // as machine files have it
  if (!(plan.busy_w > 0 && plan.busy_w <= kMaxBusyW)) {
    return absl::InvalidArgumentError(
        fmt::format("a busy node draws {} W; more than 0, at most {} is wanted",
                    plan.busy_w, kMaxBusyW));
  }
  if (!(plan.recirculation > 0 && plan.recirculation < 0.95)) {
    return absl::InvalidArgumentError(
        fmt::format("a share of {} of the air goes round; above 0 and below "
                    "0.95 is wanted",
                    plan.recirculation));
  }
  return absl::OkStatus();
}

// A^T = gaps within each rack + draw * kernel * emit + room * reach spread^T,
// a zone's draw and emit in its own rack alone.
class MadeUpAir {
 public:
  explicit MadeUpAir(const RoomPlan& plan);
  // The factors of K D = (I - A^T)^-1 - I.
  LowRankHeat::Factors RelativeHeat() const;

 private:
  double Height(std::uint32_t place) const {
    return (place + 1.0) / plan_.nodes_per_rack;
  }
  void MakeWeights();
  void MakeKernel();
  void Scale();
  double GreatestSum() const;
  VectorXd OfRacks(const VectorXd& a, const VectorXd& b) const;
  VectorXd Spread(const VectorXd& of_racks, const VectorXd& weights) const;
  VectorXd ByRack(const MatrixXd& block, const VectorXd& of_zones) const;
  Kernel PassedOn(const VectorXd& returned) const;

  const RoomPlan& plan_;
  Index size_;   // zones of a rack
  Index racks_;  // of all rows
  MatrixXd gaps_;
  VectorXd draw_;
  VectorXd emit_;
  Kernel kernel_;  // to x from
  double room_ = 0;
  VectorXd reach_;
  VectorXd spread_;
};

MadeUpAir::MadeUpAir(const RoomPlan& plan)
    : plan_(plan),
      size_(plan.nodes_per_rack),
      racks_(static_cast<Index>(plan.rows) * plan.racks) {
  MakeWeights();
  MakeKernel();
  Scale();
}

// Hot air gathers under the ceiling and comes round the ends of rows: inlets
// there take in most.
void MadeUpAir::MakeWeights() {
  std::mt19937_64 random(plan_.seed);
  const auto uneven = [&random] {
    const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
    return 1 + kSpread * (2 * unit - 1);
  };
  const Index zones = racks_ * size_;
  draw_.resize(zones);
  emit_.resize(zones);
  reach_.resize(zones);
  spread_.resize(zones);
  Index zone = 0;
  for (Index rack = 0; rack < racks_; ++rack) {
    const Index place = rack % plan_.racks;
    const double from_end_m =
        kRackWidthM *
        static_cast<double>(std::min(place, Index{plan_.racks} - 1 - place));
    const double end = 1 + kEndGain * std::exp(-from_end_m / kEndDepthM);
    for (std::uint32_t i = 0; i < plan_.nodes_per_rack; ++i, ++zone) {
      const double height = Height(i);
      draw_[zone] = (0.15 + 0.85 * height * height) * end * uneven();
      emit_[zone] = (0.4 + 0.6 * height) * uneven();
      reach_[zone] = 0.3 + 0.7 * height;
      spread_[zone] = 1;
    }
  }
  gaps_ = MatrixXd::Zero(size_, size_);
  for (Index i = 0; i < size_; ++i) {
    gaps_(i, i) = 0.3;
    if (i > 0) gaps_(i, i - 1) = 0.5;  // air rises
    if (i + 1 < size_) gaps_(i, i + 1) = 0.2;
  }
}

// Rows 0 and 1 take in from one cold aisle, 1 and 2 blow into one hot aisle.
void MadeUpAir::MakeKernel() {
  std::vector<Eigen::Triplet<double>> entries;
  const auto rows = static_cast<Index>(plan_.rows);
  const auto racks = static_cast<Index>(plan_.racks);
  for (Index to_row = 0; to_row < rows; ++to_row) {
    for (Index from_row = 0; from_row < rows; ++from_row) {
      const Index cold = to_row / 2;
      const Index hot = (from_row + 1) / 2;
      const double across_m =
          kAislePitchM *
          (std::abs(static_cast<double>(cold - hot) + 0.5) - 0.5);
      const double across = std::exp(-across_m / kAcrossM);
      for (Index away = 0; away < racks; ++away) {
        const double along =
            std::exp(-kRackWidthM * static_cast<double>(away) / kAlongM);
        if (across * along < kMinKernel) break;
        for (Index place = 0; place + away < racks; ++place) {
          const Index a = place;
          const Index b = place + away;
          entries.emplace_back(to_row * racks + a, from_row * racks + b,
                               across * along);
          if (away == 0) continue;
          entries.emplace_back(to_row * racks + b, from_row * racks + a,
                               across * along);
        }
      }
    }
  }
  kernel_.resize(racks_, racks_);
  kernel_.setFromTriplets(entries.begin(), entries.end());
}

// Sums of a times b over the zones of each rack.
VectorXd MadeUpAir::OfRacks(const VectorXd& a, const VectorXd& b) const {
  VectorXd sums(racks_);
  for (Index rack = 0; rack < racks_; ++rack) {
    sums[rack] =
        a.segment(rack * size_, size_).dot(b.segment(rack * size_, size_));
  }
  return sums;
}

// weights times what their zone's rack has.
VectorXd MadeUpAir::Spread(const VectorXd& of_racks,
                           const VectorXd& weights) const {
  VectorXd zones = weights;
  for (Index rack = 0; rack < racks_; ++rack) {
    zones.segment(rack * size_, size_) *= of_racks[rack];
  }
  return zones;
}

VectorXd MadeUpAir::ByRack(const MatrixXd& block,
                           const VectorXd& of_zones) const {
  VectorXd product(of_zones.size());
  for (Index rack = 0; rack < racks_; ++rack) {
    product.segment(rack * size_, size_) =
        block * of_zones.segment(rack * size_, size_);
  }
  return product;
}

double MadeUpAir::GreatestSum() const {
  const VectorXd ones = VectorXd::Ones(draw_.size());
  const VectorXd entering = ByRack(gaps_, ones) +
                            Spread(kernel_ * OfRacks(emit_, ones), draw_) +
                            room_ * spread_.sum() * reach_;
  const VectorXd leaving =
      ByRack(gaps_.transpose(), ones) +
      Spread(kernel_.transpose() * OfRacks(draw_, ones), emit_) +
      room_ * reach_.sum() * spread_;
  return std::max(entering.maxCoeff(), leaving.maxCoeff());
}

// Each part to its weight, by its own greatest sum, then all to the share that
// goes round.
void MadeUpAir::Scale() {
  const MatrixXd gaps = gaps_;
  gaps_.setZero();
  kernel_ *= kNearWeight / GreatestSum();
  gaps_ = kGapWeight * gaps;
  room_ = kRoomWeight / std::max(reach_.maxCoeff() * spread_.sum(),
                                 spread_.maxCoeff() * reach_.sum());
  const double scale = plan_.recirculation / GreatestSum();
  gaps_ *= scale;
  kernel_ *= scale;
  room_ *= scale;
}

// kernel + kernel W kernel + ..., W the share of a rack's intake from its cell
// that goes back to it.
Kernel MadeUpAir::PassedOn(const VectorXd& returned) const {
  const Kernel back = kernel_ * returned.asDiagonal();
  Kernel term = kernel_;
  Kernel sum = kernel_;
  while (true) {
    Kernel next = back * term;
    next.prune(1.0, kNegligible);
    if (next.nonZeros() == 0) return sum;
    sum += next;
    term = next;
  }
}

// By Woodbury's and Sherman and Morrison's formulas: first the gaps, then what
// goes through the air of racks, then that of the room.
LowRankHeat::Factors MadeUpAir::RelativeHeat() const {
  const MatrixXd rack = (MatrixXd::Identity(size_, size_) - gaps_).inverse();
  const VectorXd draw = ByRack(rack, draw_);
  const VectorXd emit = ByRack(rack.transpose(), emit_);
  const Kernel passed = PassedOn(OfRacks(emit_, draw));
  const VectorXd reach =
      ByRack(rack, reach_) + Spread(passed * OfRacks(emit, reach_), draw);
  const VectorXd spread =
      ByRack(rack.transpose(), spread_) +
      Spread(passed.transpose() * OfRacks(draw, spread_), emit);
  const double room = room_ / (1 - room_ * spread_.dot(reach));

  LowRankHeat::Factors heat;
  heat.zones = static_cast<ZoneId>(racks_ * size_);
  heat.cells = static_cast<std::uint32_t>(racks_) + 1;
  for (ZoneId zone = 0; zone < heat.zones; ++zone) {
    const auto cell = static_cast<std::uint32_t>(zone / size_);
    const auto height = static_cast<Index>(zone % size_);
    const auto first = static_cast<ZoneId>(zone - zone % size_);
    for (Index i = 0; i < size_; ++i) {
      const double entry = rack(height, i) - (i == height ? 1 : 0);
      if (entry < kNegligible) continue;
      heat.near.push_back({zone, first + static_cast<ZoneId>(i), entry});
    }
    heat.draw.push_back({zone, cell, draw[zone]});
    heat.emit.push_back({cell, zone, emit[zone]});
  }
  const std::uint32_t whole = heat.cells - 1;
  for (ZoneId zone = 0; zone < heat.zones; ++zone) {
    heat.draw.push_back({zone, whole, reach[zone]});
    heat.emit.push_back({whole, zone, spread[zone]});
  }
  for (Index from = 0; from < passed.outerSize(); ++from) {
    for (Kernel::InnerIterator to(passed, from); to; ++to) {
      heat.flow.push_back({static_cast<std::uint32_t>(to.row()),
                           static_cast<std::uint32_t>(to.col()), to.value()});
    }
  }
  heat.flow.push_back({whole, whole, room});
  return heat;
}

}  // namespace

absl::StatusOr<PlannedRoom> MakeUpRoom(const RoomPlan& plan) {
  if (absl::Status status = CheckPlan(plan); !status.ok()) return status;
  PlannedRoom room;
  room.heat = MadeUpAir(plan).RelativeHeat();
  const auto heat = LowRankHeat::Create(room.heat);
  if (!heat.ok()) return heat.status();
  std::vector<ZonePower> all;
  for (ZoneId zone = 0; zone < room.heat.zones; ++zone) {
    all.push_back({zone, plan.busy_w});
  }
  std::vector<double> rise_w(all.size(), 0.0);
  (*heat)->AddRise(all, rise_w);
  const double full_rise_k = plan.full_peak_c - plan.supply_c;
  room.airflow_w_per_k =
      *std::max_element(rise_w.begin(), rise_w.end()) / full_rise_k;
  for (MatrixEntry& entry : room.heat.near) entry.value /= room.airflow_w_per_k;
  for (MatrixEntry& entry : room.heat.flow) entry.value /= room.airflow_w_per_k;
  room.idle_w = plan.busy_w * (plan.idle_peak_c - plan.supply_c) / full_rise_k;
  return room;
}

}  // namespace coolspan
