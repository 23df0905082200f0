// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "config/machine/kinds.h"
#include "config/machine/room_check.h"
#include "config/options/relative_path.h"
#include "formats/file_error.h"
#include "formats/heat_file.h"
#include "formats/matrix_file.h"
#include "thermal/dense_heat.h"
#include "thermal/recirculation.h"

namespace coolspan {
namespace {

using ThermalPart = MachineDescription::ThermalPart;
using Types = std::vector<std::uint16_t>;

constexpr std::uint16_t kNoType = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint32_t kMaxCrossInterferenceRows = 4096;

// By NodeId; kNoType for a node without a type.
absl::StatusOr<Types> ReadTypes(const MachineDescription& description,
                                const Machine& machine,
                                const std::string& file) {
  Types types(machine.node_count(), kNoType);
  std::uint16_t next = 0;
  for (const MachineDescription::NodeType& type : description.node_types) {
    if (next == kNoType) {
      return ErrorAt(
          file, type.nodes.place,
          fmt::format("node_types: more than {} entries (expected at "
                      "most {})",
                      kNoType, kNoType));
    }
    const auto nodes = machine.ParseNodes(type.nodes.value);
    if (!nodes.ok()) {
      return ErrorAt(
          file, type.nodes.place,
          fmt::format("node_types[].nodes: {}", MessageOf(nodes.status())));
    }
    for (const NodeId node : nodes->Members()) {
      if (types[node] != kNoType) {
        return ErrorAt(file, type.nodes.place,
                       fmt::format("node_types[].nodes: node {} already has a "
                                   "type (expected one type per node)",
                                   machine.NodeName(node)));
      }
      types[node] = next;
    }
    ++next;
  }
  return types;
}

absl::Status CheckOptions(const ThermalPart& thermal, const std::string& file) {
  const bool has_heat = !thermal.heat_distribution.value.empty();
  const bool has_shares = !thermal.cross_interference.value.empty();
  if (has_heat == has_shares) {
    return ErrorAt(
        file, thermal.place,
        fmt::format("thermal: {} heat_distribution {} "
                    "cross_interference specified (expected one of "
                    "the two)",
                    has_heat ? "both" : "neither", has_heat ? "and" : "nor"));
  }
  if (has_shares && thermal.airflow_w_per_k.value.empty()) {
    return ErrorAt(file, thermal.cross_interference.place,
                   "thermal.cross_interference: airflow_w_per_k is missing "
                   "(expected the airflow of the zones)");
  }
  if (thermal.cop.value.size() != 3) {
    return ErrorAt(
        file, thermal.cop.place,
        fmt::format("thermal.cop: {} entries (expected three: c2, c1 and c0)",
                    thermal.cop.value.size()));
  }
  if (thermal.redline_c <= thermal.supply_c) {
    return ErrorAt(file, thermal.place,
                   fmt::format("thermal.redline_c: {} (expected more than "
                               "supply_c, {})",
                               thermal.redline_c, thermal.supply_c));
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const MachineDescription& description,
                        const Types& types, const Machine& machine,
                        const std::string& file) {
  for (NodeId node = 0; node < types.size(); ++node) {
    if (types[node] != kNoType) continue;
    return ErrorAt(
        file, description.thermal->place,
        fmt::format("thermal: node {} has no type (expected an entry "
                    "of node_types that lists it)",
                    machine.NodeName(node)));
  }
  for (const MachineDescription::NodeType& type : description.node_types) {
    if (type.compute_w >= type.idle_w && type.communicate_w >= type.idle_w) {
      continue;
    }
    return ErrorAt(
        file, type.name.place,
        fmt::format("node type {}: compute_w {}, communicate_w {} (expected at "
                    "least idle_w, {})",
                    type.name.value, type.compute_w, type.communicate_w,
                    type.idle_w));
  }
  return absl::OkStatus();
}

// Reads and validates D, or A and computes D from it.
class HeatReader {
 public:
  HeatReader(const ThermalPart& thermal, ZoneId zones, const std::string& file,
             RoomRemarks& remarks)
      : thermal_(thermal),
        has_shares_(!thermal.cross_interference.value.empty()),
        path_(has_shares_ ? thermal.cross_interference
                          : thermal.heat_distribution),
        option_(has_shares_ ? "thermal.cross_interference"
                            : "thermal.heat_distribution"),
        zones_(zones),
        file_(file),
        remarks_(remarks) {}

  absl::StatusOr<RoomMatrix> Read() {
    if (absl::Status status = ReadAirflow(); !status.ok()) return status;
    RoomMatrix matrix{.file = file_,
                      .option = std::string(option_),
                      .path = path_,
                      .airflow_w_per_k = airflow_};
    absl::Status status = has_shares_ ? ReadShares(matrix) : ReadHeat(matrix);
    if (!status.ok()) return status;
    return matrix;
  }

 private:
  absl::Status Error(const std::string& what) const {
    return ErrorAt(file_, path_.place, fmt::format("{}: {}", option_, what));
  }
  void Warn(const std::string& what) {
    remarks_.warnings.push_back(
        fmt::format("{}:{}: {}: {}", file_, path_.place.line, option_, what));
  }
  // Set heat, recirculation and shares.
  absl::Status ReadShares(RoomMatrix& matrix);
  absl::Status ReadHeat(RoomMatrix& matrix);
  absl::Status CheckSize(std::uint32_t rows) const;
  absl::Status ReadAirflow();
  absl::Status CheckPhysics(const Recirculation& recirculation);

  const ThermalPart& thermal_;
  bool has_shares_;  // the file has A, not D
  const Placed<std::string>& path_;
  std::string_view option_;
  ZoneId zones_;
  const std::string& file_;
  RoomRemarks& remarks_;
  std::vector<double> airflow_;  // by zone; empty: unknown
};

absl::Status HeatReader::CheckSize(std::uint32_t rows) const {
  if (rows != zones_) {
    return Error(fmt::format(
        "{} is {}x{}, the machine has {} zone{} of {} node{} (expected one row "
        "and one column per zone)",
        path_.value, rows, rows, zones_, zones_ == 1 ? "" : "s",
        thermal_.nodes_per_zone, thermal_.nodes_per_zone == 1 ? "" : "s"));
  }
  if (has_shares_ && zones_ > kMaxCrossInterferenceRows) {
    return Error(
        fmt::format("{} has {} rows (expected at most {}, or D as "
                    "heat_distribution)",
                    path_.value, zones_, kMaxCrossInterferenceRows));
  }
  return absl::OkStatus();
}

absl::Status HeatReader::ReadShares(RoomMatrix& read) {
  const auto matrix = ReadMatrixFile(ResolvePath(file_, path_.value));
  if (!matrix.ok()) {
    return ErrorOfNamedFile(file_, path_.place, option_, matrix.status());
  }
  absl::Status status = CheckSize(matrix->size);
  if (!status.ok()) return status;
  read.shares = matrix->Values();
  read.recirculation = RecirculationOf(zones_, read.shares, airflow_);
  status = CheckPhysics(read.recirculation);
  if (!status.ok()) return status;
  const auto values = HeatFromCrossInterference(zones_, read.shares, airflow_);
  if (!values.ok()) return Error(MessageOf(values.status()));
  auto heat = DenseHeat::Create(zones_, *values);
  if (!heat.ok()) return Error(MessageOf(heat.status()));
  read.heat = *std::move(heat);
  return absl::OkStatus();
}

absl::Status HeatReader::ReadHeat(RoomMatrix& read) {
  auto heat = ReadHeatFile(ResolvePath(file_, path_.value));
  if (!heat.ok()) {
    return ErrorOfNamedFile(file_, path_.place, option_, heat.status());
  }
  absl::Status status = CheckSize((*heat)->zone_count());
  if (!status.ok()) return status;
  auto recirculation = airflow_.empty() ? SearchAirflow(**heat)
                                        : RecirculationOf(**heat, airflow_);
  if (!recirculation.ok()) return Error(MessageOf(recirculation.status()));
  read.heat = *std::move(heat);
  read.recirculation = *std::move(recirculation);
  return CheckPhysics(read.recirculation);
}

absl::Status HeatReader::ReadAirflow() {
  airflow_ = thermal_.airflow_w_per_k.value;
  if (airflow_.size() == 1) airflow_.resize(zones_, airflow_.front());
  if (airflow_.empty() || airflow_.size() == zones_) return absl::OkStatus();
  return ErrorAt(file_, thermal_.airflow_w_per_k.place,
                 fmt::format("thermal.airflow_w_per_k: {} numbers, {} zones "
                             "(expected one number, or one per zone)",
                             airflow_.size(), zones_));
}

absl::Status HeatReader::CheckPhysics(const Recirculation& recirculation) {
  const std::string what =
      has_shares_ ? path_.value
                  : fmt::format("A of {} at an airflow of {:g} W/K",
                                path_.value, recirculation.airflow_w_per_k);
  const std::string coverage =
      recirculation.rows == zones_
          ? ""
          : fmt::format(" (checked: all sums, {} of {} rows)",
                        recirculation.rows, zones_);
  if (recirculation.IsRefused()) {
    return Error(fmt::format(
        "not physical: {}: {}{} (expected entries from 0, tolerance {}, and "
        "sums up to 1, tolerance {}); check that rows and columns are in the "
        "order of the nodes{}{}",
        what, recirculation.Describe(), coverage, Recirculation::kMinEntry,
        Recirculation::kGreatestSum,
        has_shares_ ? "" : ", that rows are inlets, and the airflow",
        airflow_.empty() ? fmt::format("; not physical at any airflow from "
                                       "{:g} to {:g} W/K",
                                       kMinAirflowWPerK, kGreatestAirflowWPerK)
                         : ""));
  }
  if (recirculation.IsDoubtful()) {
    Warn(fmt::format("{}: {}{}; within the tolerance ({} and {})", what,
                     recirculation.Describe(), coverage,
                     Recirculation::kMinEntry, Recirculation::kGreatestSum));
  } else if (airflow_.empty()) {
    Warn(
        fmt::format("airflow_w_per_k is not specified; D is physical with {:g} "
                    "W/K in each zone{}",
                    recirculation.airflow_w_per_k, coverage));
  }
  return absl::OkStatus();
}

Room::Description Describe(const MachineDescription& description, Types types) {
  const ThermalPart& thermal = *description.thermal;
  Room::Description room;
  for (const MachineDescription::NodeType& type : description.node_types) {
    room.types.push_back(
        {type.idle_w, type.compute_w, type.communicate_w, type.speed});
  }
  const std::size_t nodes = types.size();
  room.type_of = std::move(types);
  room.zone_of.reserve(nodes);
  const auto size = static_cast<NodeId>(thermal.nodes_per_zone);
  for (NodeId node = 0; node < nodes; ++node) {
    room.zone_of.push_back(node / size);
  }
  room.communication_share = description.communication_share;
  room.idle_on = thermal.idle_on;
  room.supply_c = thermal.supply_c;
  room.redline_c = thermal.redline_c;
  room.cop = {thermal.cop.value[0], thermal.cop.value[1], thermal.cop.value[2]};
  room.time_constant_s = thermal.time_constant_s;
  return room;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Room>> MakeRoom(
    const MachineDescription& description, const Machine& machine,
    const std::string& file, RoomRemarks& remarks) {
  absl::StatusOr<Types> types = ReadTypes(description, machine, file);
  if (!types.ok()) return types.status();
  if (!description.thermal.has_value()) return nullptr;
  const ThermalPart& thermal = *description.thermal;
  if (absl::Status status = CheckOptions(thermal, file); !status.ok()) {
    return status;
  }
  absl::Status status = CheckTypes(description, *types, machine, file);
  if (!status.ok()) return status;
  const auto size = static_cast<NodeCount>(thermal.nodes_per_zone);
  const ZoneId zones = (machine.node_count() + size - 1) / size;
  const auto matrix = HeatReader(thermal, zones, file, remarks).Read();
  if (!matrix.ok()) return matrix.status();
  Room::Description room = Describe(description, *std::move(types));
  room.heat = matrix->heat;
  auto made = Room::Create(std::move(room));
  if (!made.ok()) return ErrorAt(file, thermal.place, MessageOf(made.status()));
  status = CheckRoom(**made, machine, *matrix, remarks);
  if (!status.ok()) return status;
  return made;
}

}  // namespace coolspan
