// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/low_rank_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "thermal/heat_steps.h"
#include "thermal/sparse_matrix.h"

namespace coolspan {
namespace {

using ByRow = SparseMatrix::ByRow;
using ByColumn = SparseMatrix::ByColumn;

// Power is in steps of 2^-4 W, so watts of a cell are multiples of 2^-20 W. The
// rise of a cell is rounded to 2^-28 K, so the part of it that an inlet draws
// is a multiple of 2^-44 K. Sums and differences of all three are exact.
constexpr int kWeightStepExponent = 16;
constexpr int kCellRiseStepExponent = 28;

absl::Status InFactor(std::string_view factor, const absl::Status& status) {
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", factor, std::string(status.message())));
}

using CellField = std::uint32_t MatrixEntry::*;

// Divides the weights of each cell by a power of two, so that the largest is
// from 1/2 to 1, and rounds them. Returns the exponents.
std::vector<int> Normalise(std::uint32_t cells, CellField cell_of,
                           std::vector<MatrixEntry>& weights) {
  std::vector<double> largest(cells, 0.0);
  for (const MatrixEntry& weight : weights) {
    double& there = largest[weight.*cell_of];
    there = std::max(there, std::abs(weight.value));
  }
  std::vector<int> exponents(cells, 0);
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    std::frexp(largest[cell], &exponents[cell]);
  }
  for (MatrixEntry& weight : weights) {
    weight.value = RoundedToSteps<kWeightStepExponent>(
        std::ldexp(weight.value, -exponents[weight.*cell_of]));
  }
  return exponents;
}

}  // namespace

LowRankHeat::LowRankHeat(std::shared_ptr<const SparseHeat> near, Factor draw,
                         Factor flow, Factor emit)
    : near_(std::move(near)),
      draw_(std::move(draw)),
      flow_(std::move(flow)),
      emit_(std::move(emit)) {}

LowRankHeat::~LowRankHeat() = default;

absl::StatusOr<std::shared_ptr<const LowRankHeat>> LowRankHeat::Create(
    const Factors& factors) {
  const ZoneId zones = factors.zones;
  const std::uint32_t cells = factors.cells;
  auto near = SparseHeat::Create(zones, factors.near);
  if (!near.ok()) return InFactor("near", near.status());
  // Errors are those of the factors as given: rounding could turn one of two
  // entries for a place into 0.
  auto draw = SparseMatrix::Create(zones, cells, factors.draw);
  if (!draw.ok()) return InFactor("draw", draw.status());
  auto emit = SparseMatrix::Create(cells, zones, factors.emit);
  if (!emit.ok()) return InFactor("emit", emit.status());
  const absl::Status status = SparseMatrix::Check(cells, cells, factors.flow);
  if (!status.ok()) return InFactor("flow", status);

  std::vector<MatrixEntry> weights = factors.draw;
  const std::vector<int> drawn =
      Normalise(cells, &MatrixEntry::column, weights);
  draw = SparseMatrix::Create(zones, cells, weights);
  weights = factors.emit;
  const std::vector<int> emitted = Normalise(cells, &MatrixEntry::row, weights);
  emit = SparseMatrix::Create(cells, zones, weights);
  weights = factors.flow;
  for (MatrixEntry& entry : weights) {
    entry.value =
        std::ldexp(entry.value, drawn[entry.row] + emitted[entry.column]);
  }
  auto flow = SparseMatrix::Create(cells, cells, weights);
  if (!flow.ok()) return InFactor("flow", flow.status());
  return std::shared_ptr<const LowRankHeat>(new LowRankHeat(
      *std::move(near), *std::move(draw), *std::move(flow), *std::move(emit)));
}

double LowRankHeat::At(ZoneId receiver, ZoneId emitter) const {
  double k_per_w = near_->At(receiver, emitter);
  for (ByRow::InnerIterator draw(draw_->by_row(), receiver); draw; ++draw) {
    for (ByColumn::InnerIterator emit(emit_->by_column(), emitter); emit;
         ++emit) {
      k_per_w += draw.value() *
                 flow_->by_row().coeff(draw.index(), emit.index()) *
                 emit.value();
    }
  }
  return k_per_w;
}

std::vector<double> LowRankHeat::CellWatts(
    std::span<const ZonePower> emitters) const {
  std::vector<double> watts(emit_->rows(), 0.0);
  for (const ZonePower& emitter : emitters) {
    AddScaled(emit_->by_column(), emitter.zone, emitter.watts, watts);
  }
  return watts;
}

// For each cell pair (to, from) with changed watts, before = watts - added_w:
//   cell_rise_k[to] += round(flow * watts) - round(flow * before)
// The watts of a cell are exact sums and the rounded rise is a function of the
// watts alone, so the differences of consecutive updates add up exactly and the
// result does not depend on the path.
void LowRankHeat::UpdateRise(std::span<const ZonePower> changes,
                             std::span<const double> power_w,
                             std::span<double> rise_k) const {
  near_->UpdateRise(changes, power_w, rise_k);
  const Eigen::Map<const Eigen::VectorXd> power(
      power_w.data(), static_cast<Eigen::Index>(power_w.size()));
  const std::vector<double> added_w = CellWatts(changes);
  std::vector<double> cell_rise_k(flow_->rows(), 0.0);
  for (std::uint32_t from = 0; from < flow_->columns(); ++from) {
    if (added_w[from] == 0) continue;
    const double watts = emit_->by_row().row(from).dot(power);
    for (ByColumn::InnerIterator flow(flow_->by_column(), from); flow; ++flow) {
      cell_rise_k[static_cast<std::size_t>(flow.row())] +=
          RoundedToSteps<kCellRiseStepExponent>(flow.value() * watts) -
          RoundedToSteps<kCellRiseStepExponent>(flow.value() *
                                                (watts - added_w[from]));
    }
  }
  draw_->AddProduct(cell_rise_k, rise_k);
}

void LowRankHeat::AddRise(std::span<const ZonePower> emitters,
                          std::span<double> rise_k) const {
  near_->AddRise(emitters, rise_k);
  std::vector<double> cell_rise_k(flow_->rows(), 0.0);
  flow_->AddProduct(CellWatts(emitters), cell_rise_k);
  draw_->AddProduct(cell_rise_k, rise_k);
}

void LowRankHeat::AddPull(std::span<const double> weights,
                          std::span<double> pull) const {
  near_->AddPull(weights, pull);
  std::vector<double> drawn(draw_->columns(), 0.0);
  draw_->AddTransposed(weights, drawn);
  std::vector<double> pulled(flow_->columns(), 0.0);
  flow_->AddTransposed(drawn, pulled);
  emit_->AddTransposed(pulled, pull);
}

void LowRankHeat::CopyRow(ZoneId receiver, std::span<double> row) const {
  near_->CopyRow(receiver, row);
  std::vector<double> pulled(flow_->columns(), 0.0);
  for (ByRow::InnerIterator draw(draw_->by_row(), receiver); draw; ++draw) {
    AddScaled(flow_->by_row(), draw.index(), draw.value(), pulled);
  }
  emit_->AddTransposed(pulled, row);
}

}  // namespace coolspan
