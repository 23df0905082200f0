// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/generate_room.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cli/render/json.h"
#include "formats/heat_factors_file.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeatFile = "room-heat.txt";

std::string NodeNames(std::uint32_t nodes) {
  if (nodes == 1) return "n1";
  const std::size_t digits = std::to_string(nodes).size();
  return fmt::format("n[{:0{}}-{}]", 1, digits, nodes);
}

std::string MachineText(const RoomPlanFlags& flags, const PlannedRoom& room,
                        std::uint64_t seed) {
  const RoomPlan& plan = flags.plan;
  const std::string nodes = NodeNames(room.heat.zones);
  return fmt::format(
      "# Made up: coolspan generate --room --rows {} --racks {} "
      "--nodes-per-rack {}\n"
      "#   --supply-c {} --idle-peak-c {} --full-peak-c {} --busy-w {}\n"
      "#   --recirculation {} --redline-c {} --seed {}\n"
      "# All nodes idle, the hottest inlet is at {} C; all busy, at {} C.\n"
      "name: room-{}x{}x{}\n"
      "topology: {{kind: mesh, dims: [{}, {}, {}]}}  # height, rack, row\n"
      "nodes: \"{}\"\n"
      "node_types:\n"
      "  - {{name: node, nodes: \"{}\", idle_w: {:.10g}, compute_w: {:.10g}, "
      "communicate_w: {:.10g}}}\n"
      "thermal:\n"
      "  heat_distribution: {}\n"
      "  airflow_w_per_k: {:.10g}\n"
      "  supply_c: {:.10g}\n"
      "  redline_c: {:.10g}\n",
      plan.rows, plan.racks, plan.nodes_per_rack, plan.supply_c,
      plan.idle_peak_c, plan.full_peak_c, plan.busy_w, plan.recirculation,
      flags.redline_c, seed, plan.idle_peak_c, plan.full_peak_c, plan.rows,
      plan.racks, plan.nodes_per_rack, plan.nodes_per_rack, plan.racks,
      plan.rows, nodes, nodes, room.idle_w, plan.busy_w, plan.busy_w, kHeatFile,
      room.airflow_w_per_k, plan.supply_c, flags.redline_c);
}

// write: puts the content on a stream.
template <typename Write>
absl::Status WriteFile(const fs::path& path, Write write) {
  std::ofstream out(path);
  if (out) write(out);
  out.close();
  if (out) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written; a folder to write into is wanted",
                  path.string()));
}

void Report(const RoomPlanFlags& flags, const PlannedRoom& room,
            const std::string& machine, const std::string& heat,
            const Console& console) {
  const RoomPlan& plan = flags.plan;
  const double through_k = plan.busy_w / room.airflow_w_per_k;
  if (!console.json) {
    console.out << fmt::format(
        "{}: {} nodes\n"
        "{}: what warms whom\n"
        "hottest inlet {} C idle ({:.1f} W a node), {} C busy ({} W), air "
        "supplied at {} C\n"
        "airflow {:.2f} W/K a node: {:.1f} K warmer behind a busy node than "
        "before it\n",
        machine, room.heat.zones, heat, plan.idle_peak_c, room.idle_w,
        plan.full_peak_c, plan.busy_w, plan.supply_c, room.airflow_w_per_k,
        through_k);
    return;
  }
  Json json;
  json["machine"] = machine;
  json["heat_distribution"] = heat;
  json["nodes"] = room.heat.zones;
  json["idle_w"] = JsonNumber(room.idle_w);
  json["busy_w"] = JsonNumber(plan.busy_w);
  json["airflow_w_per_k"] = JsonNumber(room.airflow_w_per_k);
  json["supply_c"] = JsonNumber(plan.supply_c);
  json["idle_peak_c"] = JsonNumber(plan.idle_peak_c);
  json["full_peak_c"] = JsonNumber(plan.full_peak_c);
  PrintJsonLine(json, console.out);
}

}  // namespace

void AddRoomPlanFlags(CLI::App& app, RoomPlanFlags& flags) {
  RoomPlan& plan = flags.plan;
  CLI::Option* const room =
      app.add_flag("--room", flags.wanted, "a machine in a room, of any size");
  const auto add = [&app, room](const char* name, auto& value,
                                const char* help) {
    return app.add_option(name, value, help)
        ->needs(room)
        ->capture_default_str();
  };
  add("--rows", plan.rows, "rows of racks, face to face and back to back");
  add("--racks", plan.racks, "racks of a row");
  add("--nodes-per-rack", plan.nodes_per_rack, "nodes of a rack");
  add("--idle-peak-c", plan.idle_peak_c, "hottest inlet, all nodes idle");
  add("--full-peak-c", plan.full_peak_c, "hottest inlet, all nodes busy");
  add("--supply-c", plan.supply_c, "air supplied at, degrees Celsius");
  add("--redline-c", flags.redline_c, "highest inlet allowed");
  add("--busy-w", plan.busy_w, "watts of a busy node");
  add("--recirculation", plan.recirculation,
      "share of the air at the worst inlet that goes round");
  add("--out", flags.folder, "folder for room.yaml and room-heat.txt")
      ->type_name("DIR");
}

absl::StatusOr<Exit> GenerateRoom(const RoomPlanFlags& flags,
                                  std::uint64_t seed, const Console& console) {
  if (flags.folder.empty()) {
    return absl::InvalidArgumentError(
        "--out: no folder is given; one for room.yaml and room-heat.txt is "
        "wanted");
  }
  if (!(flags.redline_c > flags.plan.supply_c)) {
    return absl::InvalidArgumentError(
        fmt::format("--redline-c: {} C is not above the {} C supplied; a "
                    "higher one is wanted",
                    flags.redline_c, flags.plan.supply_c));
  }
  RoomPlan plan = flags.plan;
  plan.seed = seed;
  const absl::StatusOr<PlannedRoom> room = MakeUpRoom(plan);
  if (!room.ok()) {
    return absl::Status(
        room.status().code(),
        fmt::format("--room: {}", std::string(room.status().message())));
  }
  const fs::path folder(flags.folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}; a folder is wanted", flags.folder, error.message()));
  }
  absl::Status status = WriteFile(
      folder / kHeatFile,
      [&room](std::ostream& out) { WriteHeatFactors(room->heat, out); });
  if (!status.ok()) return status;
  const fs::path machine = folder / "room.yaml";
  status = WriteFile(machine, [&](std::ostream& out) {
    out << MachineText(flags, *room, seed);
  });
  if (!status.ok()) return status;
  Report(flags, *room, machine.string(), (folder / kHeatFile).string(),
         console);
  return Exit::kSuccess;
}

}  // namespace coolspan
