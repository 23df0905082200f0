// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/room_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace coolspan {
namespace {

// Of a room with all nodes busy.
constexpr double kGreatestInletC = 100;
constexpr double kSmallestRiseK = 0.1;
// Shares of air that warm the inlets by less than the first, and that would
// warm them by the second and more if they were K/W, are likely to be K/W.
constexpr double kSmallRiseOfSharesK = 3;
constexpr double kRiseOfKPerWK = 5;
// The rise of the air through a busy zone, P / K; 5 to 25 K are common.
constexpr double kSmallestThroughK = 0.3;
constexpr double kGreatestThroughK = 300;

class RoomChecker {
 public:
  RoomChecker(const Room& room, const Machine& machine,
              const RoomMatrix& matrix, RoomRemarks& remarks);

  absl::Status CheckPeak();
  void CheckUnits();
  void CheckThrough();
  void CheckOrientation();

 private:
  void Warn(const std::string& what) {
    remarks_.warnings.push_back(Line(what));
  }
  std::string Line(const std::string& what) const {
    return fmt::format("{}:{}: {}: {}", matrix_.file, matrix_.path.place.line,
                       matrix_.option, what);
  }
  bool has_shares() const { return !matrix_.shares.empty(); }
  double RiseOfSharesAsKPerW() const;
  std::string NodeOf(ZoneId zone) const {
    return std::string(machine_.NodeName(room_.NodesOf(zone).front()));
  }
  double peak_c() const { return room_.supply_c() + peak_rise_k_; }

  const Room& room_;
  const Machine& machine_;
  const RoomMatrix& matrix_;
  RoomRemarks& remarks_;
  std::vector<ZonePower> power_;  // of all zones, all nodes busy
  ZoneId peak_zone_ = 0;
  double peak_rise_k_ = 0;  // of an inlet over the supplied air
};

RoomChecker::RoomChecker(const Room& room, const Machine& machine,
                         const RoomMatrix& matrix, RoomRemarks& remarks)
    : room_(room), machine_(machine), matrix_(matrix), remarks_(remarks) {
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    double watts = 0;
    for (const NodeId node : room.NodesOf(zone)) {
      const Room::NodePower& busy = room.PowerOf(node);
      watts += std::max(busy.compute_w, busy.communicate_w);
    }
    power_.push_back({zone, watts});
  }
  std::vector<double> rise_k(room.zone_count(), 0.0);
  room.heat().AddRise(power_, rise_k);
  const auto peak = std::ranges::max_element(rise_k);
  peak_zone_ = static_cast<ZoneId>(peak - rise_k.begin());
  peak_rise_k_ = *peak;
}

// Cross-interference matrices, and D in other units, may pass the checks of A.
absl::Status RoomChecker::CheckPeak() {
  if (peak_c() <= kGreatestInletC) return absl::OkStatus();
  return ErrorAt(
      matrix_.file, matrix_.path.place,
      fmt::format(
          "{}: with all nodes busy, the inlet of {} would be {:.0f} C "
          "(expected at most {:g}); {}",
          matrix_.option, NodeOf(peak_zone_), peak_c(), kGreatestInletC,
          has_shares()
              ? "airflow_w_per_k must be in W/K, and power in W"
              : fmt::format("{} must be in K/W; a matrix of shares of air "
                            "belongs in cross_interference",
                            matrix_.path.value)));
}

// The greatest rise of an inlet, were the shares K/W.
double RoomChecker::RiseOfSharesAsKPerW() const {
  const std::size_t zones = power_.size();
  double greatest_k = 0;
  for (std::size_t row = 0; row < zones; ++row) {
    double rise_k = 0;
    for (std::size_t column = 0; column < zones; ++column) {
      rise_k += matrix_.shares[row * zones + column] * power_[column].watts;
    }
    greatest_k = std::max(greatest_k, rise_k);
  }
  return greatest_k;
}

void RoomChecker::CheckUnits() {
  if (!(peak_rise_k_ > 0)) return;
  if (peak_rise_k_ < kSmallRiseOfSharesK && has_shares()) {
    const double as_k_per_w = RiseOfSharesAsKPerW();
    if (as_k_per_w >= kRiseOfKPerWK &&
        room_.supply_c() + as_k_per_w <= kGreatestInletC) {
      Warn(fmt::format(
          "with all nodes busy, no inlet is more than {:.2g} K above the "
          "supplied air; were {} in K/W, {:.3g} K: a matrix in K/W belongs in "
          "heat_distribution",
          peak_rise_k_, matrix_.path.value, as_k_per_w));
      return;
    }
  }
  if (peak_rise_k_ >= kSmallestRiseK) return;
  Warn(fmt::format(
      "with all nodes busy, no inlet is more than {:.2g} K above the supplied "
      "air; check that {} is in {}, and the power of the nodes",
      peak_rise_k_, matrix_.path.value,
      has_shares() ? "shares of 1, the airflow in W/K" : "K/W"));
}

void RoomChecker::CheckThrough() {
  if (matrix_.airflow_w_per_k.empty()) return;
  double least_k = kGreatestThroughK;
  double most_k = 0;
  for (const ZonePower& zone : power_) {
    const double through_k = zone.watts / matrix_.airflow_w_per_k[zone.zone];
    least_k = std::min(least_k, through_k);
    most_k = std::max(most_k, through_k);
  }
  if (most_k > kSmallestThroughK && least_k < kGreatestThroughK) return;
  Warn(fmt::format(
      "the air through a busy zone warms by {:.2g} K (expected {:g} to {:g}); "
      "check that airflow_w_per_k is in W/K, and the power of the nodes",
      most_k, kSmallestThroughK, kGreatestThroughK));
}

void RoomChecker::CheckOrientation() {
  const Recirculation& air = matrix_.recirculation;
  if (air.IsSymmetric()) return;
  std::vector<double> pull(power_.size(), 0.0);
  room_.heat().AddPull(std::vector<double>(power_.size(), 1.0), pull);
  const auto source =
      static_cast<ZoneId>(std::ranges::max_element(pull) - pull.begin());
  const std::string reading = fmt::format(
      "rows of {} are read as {}: with all nodes busy the inlet of {} is the "
      "warmest, {:.2f} C, and {} warms the inlets most per watt",
      matrix_.path.value, has_shares() ? "outlets" : "inlets",
      NodeOf(peak_zone_), peak_c(), NodeOf(source));
  const std::string signs = air.SignsOfTransposition();
  if (signs.empty()) {
    remarks_.notes.push_back(Line(
        reading + "; with rows and columns swapped it would be as physical"));
    return;
  }
  const std::string doubt =
      fmt::format("rows and columns may be swapped: {}; {}", signs, reading);
  if (air.GivesOffTooMuch()) {
    Warn(doubt);
  } else {
    // Rooms differ: some whose outlets vary more are right.
    remarks_.notes.push_back(Line(doubt));
  }
}

}  // namespace

absl::Status CheckRoom(const Room& room, const Machine& machine,
                       const RoomMatrix& matrix, RoomRemarks& remarks) {
  RoomChecker checker(room, machine, matrix, remarks);
  if (absl::Status status = checker.CheckPeak(); !status.ok()) return status;
  checker.CheckUnits();
  checker.CheckThrough();
  checker.CheckOrientation();
  return absl::OkStatus();
}

}  // namespace coolspan
