// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/room_plan.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "absl/status/status.h"

namespace coolspan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kernel = Eigen::SparseMatrix<double>;

constexpr double kRackWidthM = 0.6;
constexpr double kAislePitchM = 4.5;  // from one cold aisle to the next
// Exhaust air of a rack reaches inlets with exp(-along / kAlongM - across /
// kAcrossM), cut off at kMinKernel.
constexpr double kAlongM = 1.2;
constexpr double kAcrossM = 1.5;
constexpr double kMinKernel = 1e-3;
// Inlets take in 1 + kEndGain * exp(-distance to the row's end / kEndDepthM)
// times as much.
constexpr double kEndGain = 1.5;
constexpr double kEndDepthM = 0.9;
// Weights of the three parts of A: between racks, through the whole room,
// within a rack.
constexpr double kNearWeight = 1;
constexpr double kRoomWeight = 0.15;
constexpr double kGapWeight = 0.08;
// Random variation between nodes: weights vary by up to this share.
constexpr double kVariation = 0.2;
// Smaller entries of A and of K D are left out; far below
// Recirculation::kRounding.
constexpr double kNegligible = 2e-7;

absl::Status CheckPlan(const RoomPlan& plan) {
  const double racks = double{1} * plan.rows * plan.racks;
  if (racks < 1 || racks > kMaxPlannedRacks || plan.nodes_per_rack < 1 ||
      racks * plan.nodes_per_rack > kMaxPlannedZones) {
    return absl::InvalidArgumentError(fmt::format(
        "a room of {} rows of {} racks of {} nodes (expected 1 to {} racks and "
        "1 to {} nodes)",
        plan.rows, plan.racks, plan.nodes_per_rack, kMaxPlannedRacks,
        kMaxPlannedZones));
  }
  if (!(plan.supply_c < plan.idle_peak_c &&
        plan.idle_peak_c < plan.full_peak_c)) {
    return absl::InvalidArgumentError(fmt::format(
        "supply temperature {} C, peak inlet {} C idle and {} C fully loaded "
        "(expected supply < idle < full)",
        plan.supply_c, plan.idle_peak_c, plan.full_peak_c));
  }
  constexpr double kMaxBusyW = 1e9;  // as machine files have it
  if (!(plan.busy_w > 0 && plan.busy_w <= kMaxBusyW)) {
    return absl::InvalidArgumentError(
        fmt::format("a busy node draws {} W (expected more than 0, at most {})",
                    plan.busy_w, kMaxBusyW));
  }
  if (!(plan.recirculation > 0 && plan.recirculation < 0.95)) {
    return absl::InvalidArgumentError(
        fmt::format("a share of {} of the air recirculates (expected above 0 "
                    "and below 0.95)",
                    plan.recirculation));
  }
  const double zones = racks * plan.nodes_per_rack;
  if (!std::ranges::is_sorted(plan.occupied, std::less_equal<>()) ||
      (!plan.occupied.empty() && plan.occupied.back() >= zones)) {
    return absl::InvalidArgumentError(
        "occupied zones out of order or out of the room");
  }
  return absl::OkStatus();
}

// A^T = gaps + draw * kernel * emit + room * reach * spread^T:
// gaps: block diagonal, the same block for each rack;
// draw, emit: one number a zone, for the cell of air of its rack;
// kernel: from the cell of one rack to that of another;
// room, reach, spread: by way of the air of the whole room.
class SyntheticAir {
 public:
  explicit SyntheticAir(const RoomPlan& plan);
  // The factors of K D = (I - A^T)^-1 - I.
  LowRankHeat::Factors RelativeHeat() const;

 private:
  double Height(std::uint32_t place) const {
    return (place + 1.0) / plan_.nodes_per_rack;
  }
  void MakeWeights();
  void MakeKernel();
  void Scale();
  double MaxSum() const;
  VectorXd RackDots(const VectorXd& a, const VectorXd& b) const;
  VectorXd ScaleByRack(const VectorXd& of_racks, const VectorXd& weights) const;
  VectorXd TimesBlock(const MatrixXd& block, const VectorXd& of_zones) const;
  Kernel InfiniteSum(const VectorXd& returned) const;

  const RoomPlan& plan_;
  Index size_;   // zones of a rack
  Index racks_;  // of all rows
  MatrixXd gaps_;
  VectorXd draw_;
  VectorXd emit_;
  Kernel kernel_;  // row: receiving rack, column: emitting rack
  double room_ = 0;
  VectorXd reach_;
  VectorXd spread_;
};

SyntheticAir::SyntheticAir(const RoomPlan& plan)
    : plan_(plan),
      size_(plan.nodes_per_rack),
      racks_(static_cast<Index>(plan.rows) * plan.racks) {
  MakeWeights();
  MakeKernel();
  Scale();
}

// Hot air gathers under the ceiling and flows around the ends of rows: inlets
// at the top of racks and at the ends of rows take in most.
void SyntheticAir::MakeWeights() {
  std::mt19937_64 random(plan_.seed);
  const auto uneven = [&random] {
    const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
    return 1 + kVariation * (2 * unit - 1);
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

// Rows 0 and 1 share a cold aisle, rows 1 and 2 a hot aisle, and so on.
void SyntheticAir::MakeKernel() {
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

// By rack, the dot product of a and b over its zones.
VectorXd SyntheticAir::RackDots(const VectorXd& a, const VectorXd& b) const {
  VectorXd sums(racks_);
  for (Index rack = 0; rack < racks_; ++rack) {
    sums[rack] =
        a.segment(rack * size_, size_).dot(b.segment(rack * size_, size_));
  }
  return sums;
}

// weights, each multiplied by the number of its zone's rack.
VectorXd SyntheticAir::ScaleByRack(const VectorXd& of_racks,
                                   const VectorXd& weights) const {
  VectorXd zones = weights;
  for (Index rack = 0; rack < racks_; ++rack) {
    zones.segment(rack * size_, size_) *= of_racks[rack];
  }
  return zones;
}

VectorXd SyntheticAir::TimesBlock(const MatrixXd& block,
                                  const VectorXd& of_zones) const {
  VectorXd product(of_zones.size());
  for (Index rack = 0; rack < racks_; ++rack) {
    product.segment(rack * size_, size_) =
        block * of_zones.segment(rack * size_, size_);
  }
  return product;
}

double SyntheticAir::MaxSum() const {
  const VectorXd ones = VectorXd::Ones(draw_.size());
  const VectorXd entering =
      TimesBlock(gaps_, ones) +
      ScaleByRack(kernel_ * RackDots(emit_, ones), draw_) +
      room_ * spread_.sum() * reach_;
  const VectorXd leaving =
      TimesBlock(gaps_.transpose(), ones) +
      ScaleByRack(kernel_.transpose() * RackDots(draw_, ones), emit_) +
      room_ * reach_.sum() * spread_;
  return std::max(entering.maxCoeff(), leaving.maxCoeff());
}

// Scales each part to its weight by its own maximum sum, then all three so that
// the maximum row or column sum of A is plan.recirculation.
void SyntheticAir::Scale() {
  const MatrixXd gaps = gaps_;
  gaps_.setZero();
  kernel_ *= kNearWeight / MaxSum();
  gaps_ = kGapWeight * gaps;
  room_ = kRoomWeight / std::max(reach_.maxCoeff() * spread_.sum(),
                                 spread_.maxCoeff() * reach_.sum());
  const double scale = plan_.recirculation / MaxSum();
  gaps_ *= scale;
  kernel_ *= scale;
  room_ *= scale;
}

// (I - kernel W)^-1 kernel = kernel + kernel W kernel + ..., W =
// diag(returned): the share of the heat drawn from a rack's cell that the rack
// emits to it again.
Kernel SyntheticAir::InfiniteSum(const VectorXd& returned) const {
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

// K D = (I - A^T)^-1 - I, one part of A^T after the other. With
// R = (I - gaps)^-1 (block by block), U = draw, V = emit, C = kernel,
// Woodbury's formula gives
//   B = (I - gaps - U C V)^-1 = R + (R U) P (V R),
//   P = (I - C V R U)^-1 C = C + C (V R U) C + ...  (between_racks)
// and that of Sherman and Morrison, with u = reach and v = spread,
//   (B^-1 - room u v^T)^-1 = B + room / (1 - room v^T B u) (B u) (v^T B).
LowRankHeat::Factors SyntheticAir::RelativeHeat() const {
  const MatrixXd rack = (MatrixXd::Identity(size_, size_) - gaps_).inverse();
  const VectorXd draw = TimesBlock(rack, draw_);
  const VectorXd emit = TimesBlock(rack.transpose(), emit_);
  const Kernel between_racks = InfiniteSum(RackDots(emit_, draw));
  const VectorXd reach =
      TimesBlock(rack, reach_) +
      ScaleByRack(between_racks * RackDots(emit, reach_), draw);
  const VectorXd spread =
      TimesBlock(rack.transpose(), spread_) +
      ScaleByRack(between_racks.transpose() * RackDots(draw, spread_), emit);
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
  for (Index from = 0; from < between_racks.outerSize(); ++from) {
    for (Kernel::InnerIterator to(between_racks, from); to; ++to) {
      heat.flow.push_back({static_cast<std::uint32_t>(to.row()),
                           static_cast<std::uint32_t>(to.col()), to.value()});
    }
  }
  heat.flow.push_back({whole, whole, room});
  return heat;
}

// Leaves out the rows and columns of the other zones.
void Restrict(const std::vector<ZoneId>& occupied, LowRankHeat::Factors& heat) {
  constexpr ZoneId kEmpty = std::numeric_limits<ZoneId>::max();
  std::vector<ZoneId> number(heat.zones, kEmpty);
  for (ZoneId i = 0; i < occupied.size(); ++i) number[occupied[i]] = i;
  heat.zones = static_cast<ZoneId>(occupied.size());
  const auto keep = [&number](std::vector<MatrixEntry>& entries, auto... axes) {
    std::erase_if(entries, [&](MatrixEntry& entry) {
      ((entry.*axes = number[entry.*axes]), ...);
      return ((entry.*axes == kEmpty) || ...);
    });
  };
  keep(heat.near, &MatrixEntry::row, &MatrixEntry::column);
  keep(heat.draw, &MatrixEntry::row);
  keep(heat.emit, &MatrixEntry::column);
}

}  // namespace

absl::StatusOr<PlannedRoom> MakeUpRoom(const RoomPlan& plan) {
  if (absl::Status status = CheckPlan(plan); !status.ok()) return status;
  PlannedRoom room;
  room.heat = SyntheticAir(plan).RelativeHeat();
  if (!plan.occupied.empty()) Restrict(plan.occupied, room.heat);
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
