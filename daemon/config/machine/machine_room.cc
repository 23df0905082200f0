// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_room.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "config/machine/kinds.h"
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

// By NodeId, kNoType where there is none.
absl::StatusOr<Types> TypesOf(const MachineDescription& description,
                              const Machine& machine, const std::string& file) {
  Types types(machine.node_count(), kNoType);
  std::uint16_t next = 0;
  for (const MachineDescription::NodeType& type : description.node_types) {
    if (next == kNoType) {
      return ErrorAt(file, type.nodes.place,
                     fmt::format("node_types has over {} entries; as many at "
                                 "most are wanted",
                                 kNoType));
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
                       fmt::format("node {} has a type already; one is wanted",
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
    return ErrorAt(file, thermal.place,
                   "thermal has both or neither of heat_distribution and "
                   "cross_interference; one of the two is wanted");
  }
  if (has_shares && thermal.airflow_w_per_k.value.empty()) {
    return ErrorAt(file, thermal.cross_interference.place,
                   "thermal.cross_interference says nothing without "
                   "airflow_w_per_k; the airflow of the zones is wanted");
  }
  if (thermal.cop.value.size() != 3) {
    return ErrorAt(
        file, thermal.cop.place,
        fmt::format("thermal.cop has {} entries; c2, c1 and c0 are wanted",
                    thermal.cop.value.size()));
  }
  if (thermal.redline_c <= thermal.supply_c) {
    return ErrorAt(file, thermal.place,
                   "thermal.redline_c is not above supply_c; a higher redline "
                   "is wanted");
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const MachineDescription& description,
                        const Types& types, const Machine& machine,
                        const std::string& file) {
  for (NodeId node = 0; node < types.size(); ++node) {
    if (types[node] != kNoType) continue;
    return ErrorAt(file, description.thermal->place,
                   fmt::format("thermal needs to know what each node draws, "
                               "and node {} has no type; an entry of "
                               "node_types that lists it is wanted",
                               machine.NodeName(node)));
  }
  for (const MachineDescription::NodeType& type : description.node_types) {
    if (type.compute_w >= type.idle_w && type.communicate_w >= type.idle_w) {
      continue;
    }
    return ErrorAt(
        file, type.name.place,
        fmt::format("type {} draws {} W computing, {} W communicating and {} W "
                    "idle; neither of the first two may be below the last",
                    type.name.value, type.compute_w, type.communicate_w,
                    type.idle_w));
  }
  return absl::OkStatus();
}

// Reads the matrix of a machine's room and says whether it can be one.
class HeatOfRoom {
 public:
  HeatOfRoom(const ThermalPart& thermal, ZoneId zones, const std::string& file,
             std::vector<std::string>& warnings)
      : thermal_(thermal),
        is_shares_(!thermal.cross_interference.value.empty()),
        named_(is_shares_ ? thermal.cross_interference
                          : thermal.heat_distribution),
        option_(is_shares_ ? "thermal.cross_interference"
                           : "thermal.heat_distribution"),
        zones_(zones),
        file_(file),
        warnings_(warnings) {}

  absl::StatusOr<std::shared_ptr<const HeatMatrix>> Make() {
    if (absl::Status status = SpreadAirflow(); !status.ok()) return status;
    return is_shares_ ? OfShares() : OfHeat();
  }

 private:
  absl::Status Error(const std::string& what) const {
    return ErrorAt(file_, named_.place, fmt::format("{}: {}", option_, what));
  }
  void Warn(const std::string& what) {
    warnings_.push_back(
        fmt::format("{}:{}: {}: {}", file_, named_.place.line, option_, what));
  }
  absl::StatusOr<std::shared_ptr<const HeatMatrix>> OfShares();
  absl::StatusOr<std::shared_ptr<const HeatMatrix>> OfHeat();
  absl::Status CheckSize(std::uint32_t rows) const;
  absl::Status SpreadAirflow();
  absl::Status Judge(const Recirculation& found);

  const ThermalPart& thermal_;
  bool is_shares_;  // A in the place of D
  const Placed<std::string>& named_;
  std::string_view option_;
  ZoneId zones_;
  const std::string& file_;
  std::vector<std::string>& warnings_;
  std::vector<double> airflow_;  // by zone; empty: not known
};

absl::Status HeatOfRoom::CheckSize(std::uint32_t rows) const {
  if (rows != zones_) {
    return Error(fmt::format(
        "{} is {}x{} and the machine has {} zone{}, {} node{} in each; a row "
        "and a column for each zone are wanted",
        named_.value, rows, rows, zones_, zones_ == 1 ? "" : "s",
        thermal_.nodes_per_zone, thermal_.nodes_per_zone == 1 ? "" : "s"));
  }
  if (is_shares_ && zones_ > kMaxCrossInterferenceRows) {
    return Error(
        fmt::format("{} has {} rows; D is worked out of A for at most "
                    "{}, larger ones are wanted as "
                    "heat_distribution",
                    named_.value, zones_, kMaxCrossInterferenceRows));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const HeatMatrix>> HeatOfRoom::OfShares() {
  const auto matrix = ReadMatrixFile(PathBeside(file_, named_.value));
  if (!matrix.ok()) {
    return ErrorOfNamedFile(file_, named_.place, option_, matrix.status());
  }
  absl::Status status = CheckSize(matrix->size);
  if (!status.ok()) return status;
  const std::vector<double> shares = matrix->Values();
  status = Judge(RecirculationOf(zones_, shares));
  if (!status.ok()) return status;
  const auto values = HeatFromCrossInterference(zones_, shares, airflow_);
  if (!values.ok()) return Error(MessageOf(values.status()));
  auto heat = DenseHeat::Create(zones_, *values);
  if (!heat.ok()) return Error(MessageOf(heat.status()));
  return heat;
}

absl::StatusOr<std::shared_ptr<const HeatMatrix>> HeatOfRoom::OfHeat() {
  auto heat = ReadHeatFile(PathBeside(file_, named_.value));
  if (!heat.ok()) {
    return ErrorOfNamedFile(file_, named_.place, option_, heat.status());
  }
  absl::Status status = CheckSize((*heat)->zone_count());
  if (!status.ok()) return status;
  const auto found = airflow_.empty() ? SearchAirflow(**heat)
                                      : RecirculationOf(**heat, airflow_);
  if (!found.ok()) return Error(MessageOf(found.status()));
  status = Judge(*found);
  if (!status.ok()) return status;
  return heat;
}

absl::Status HeatOfRoom::SpreadAirflow() {
  airflow_ = thermal_.airflow_w_per_k.value;
  if (airflow_.size() == 1) airflow_.resize(zones_, airflow_.front());
  if (airflow_.empty() || airflow_.size() == zones_) return absl::OkStatus();
  return ErrorAt(file_, thermal_.airflow_w_per_k.place,
                 fmt::format("thermal.airflow_w_per_k has {} numbers; one, or "
                             "{} for the {} zones, are wanted",
                             airflow_.size(), zones_, zones_));
}

absl::Status HeatOfRoom::Judge(const Recirculation& found) {
  const std::string what =
      is_shares_ ? named_.value
                 : fmt::format("with an airflow of {:g} W/K, A of {}",
                               found.airflow_w_per_k, named_.value);
  const std::string looked_at =
      found.rows == zones_
          ? ""
          : fmt::format(" (all sums and {} of {} rows looked at)", found.rows,
                        zones_);
  if (found.IsRefused()) {
    return Error(fmt::format(
        "not physical: {} has {}{}; entries of 0 and more (from {}) and sums "
        "of at most 1 (to {}) are wanted: check that rows and columns are in "
        "the order of the nodes{}{}",
        what, found.Describe(), looked_at, Recirculation::kMinEntry,
        Recirculation::kGreatestSum,
        is_shares_ ? "" : ", that rows are inlets, and the airflow",
        airflow_.empty() ? fmt::format("; no airflow from {:g} to {:g} W/K "
                                       "makes it physical",
                                       kMinAirflowWPerK, kGreatestAirflowWPerK)
                         : ""));
  }
  if (found.IsDoubtful()) {
    Warn(fmt::format("{} has {}{}; within the tolerance ({} and {})", what,
                     found.Describe(), looked_at, Recirculation::kMinEntry,
                     Recirculation::kGreatestSum));
  } else if (airflow_.empty()) {
    Warn(
        fmt::format("airflow_w_per_k is not given; D is physical with {:g} "
                    "W/K in each zone{}",
                    found.airflow_w_per_k, looked_at));
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
    const std::string& file, std::vector<std::string>& warnings) {
  absl::StatusOr<Types> types = TypesOf(description, machine, file);
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
  auto heat = HeatOfRoom(thermal, zones, file, warnings).Make();
  if (!heat.ok()) return heat.status();
  Room::Description room = Describe(description, *std::move(types));
  room.heat = *std::move(heat);
  auto made = Room::Create(std::move(room));
  if (!made.ok()) return ErrorAt(file, thermal.place, MessageOf(made.status()));
  return made;
}

}  // namespace coolspan
