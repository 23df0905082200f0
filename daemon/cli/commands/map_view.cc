// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/machine_map.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

std::optional<Grid> GridOf(const v1::StatusReply& status) {
  if (!status.has_grid()) return std::nullopt;
  const v1::Grid& sent = status.grid();
  Grid grid;
  grid.dims.assign(sent.dims().begin(), sent.dims().end());
  grid.wrap.assign(sent.wrap().begin(), sent.wrap().end());
  grid.nodes_per_vertex = sent.nodes_per_vertex();
  grid.holes.assign(sent.holes().begin(), sent.holes().end());
  for (const v1::Grid::ShortVertex& place : sent.short_vertices()) {
    grid.short_vertices.push_back({place.vertex(), place.nodes()});
  }
  // A daemon of another version may send a grid that this one cannot draw.
  const VertexId vertices = grid.VertexCount();
  const bool inside =
      std::all_of(grid.holes.begin(), grid.holes.end(),
                  [&](VertexId hole) { return hole < vertices; }) &&
      std::all_of(grid.short_vertices.begin(), grid.short_vertices.end(),
                  [&](const Grid::ShortVertex& place) {
                    return place.vertex < vertices;
                  });
  if (!inside) return std::nullopt;
  return grid;
}

Occupancy OccupancyOf(const v1::StatusReply& status,
                      const v1::JobsReply& reply) {
  Occupancy occupancy{
      reply.machine_nodes(),
      GridOf(status),
      {},
      {reply.unavailable_ids().begin(), reply.unavailable_ids().end()}};
  for (const v1::JobRecord& job : reply.jobs()) {
    occupancy.jobs.push_back({job.job().job_id(),
                              job.state(),
                              job.hostlist(),
                              {job.node_ids().begin(), job.node_ids().end()}});
  }
  return occupancy;
}

void PrintJson(const std::string& machine, const Occupancy& occupancy,
               std::ostream& out) {
  Json json;
  json["machine"] = machine;
  json["machine_nodes"] = occupancy.node_count;
  json["grid"] = nullptr;
  if (occupancy.grid.has_value()) {
    json["grid"] = {{"dims", occupancy.grid->dims},
                    {"wrap", occupancy.grid->wrap},
                    {"nodes_per_vertex", occupancy.grid->nodes_per_vertex},
                    {"holes", occupancy.grid->holes},
                    {"short_vertices", Json::array()}};
    for (const auto& [vertex, nodes] : occupancy.grid->short_vertices) {
      json["grid"]["short_vertices"].push_back(
          {{"vertex", vertex}, {"nodes", nodes}});
    }
  }
  json["unavailable"] = occupancy.unavailable;
  json["jobs"] = Json::array();
  for (const MapJob& job : occupancy.jobs) {
    json["jobs"].push_back({{"job_id", job.job_id},
                            {"state", job.state},
                            {"nodes", job.hostlist},
                            {"ids", job.nodes}});
  }
  PrintJsonLine(json, out);
}

absl::StatusOr<Exit> MapView(const DaemonOptions& options,
                             const Console& console) {
  const auto status = AskStatus(options);
  if (!status.ok()) return status.status();
  const auto jobs = AskJobs(options);
  if (!jobs.ok()) return jobs.status();
  const Occupancy occupancy = OccupancyOf(*status, *jobs);
  if (console.json) {
    PrintJson(status->machine(), occupancy, console.out);
  } else {
    console.out << DrawMap(occupancy, {console.colour, console.columns});
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpMapView(CLI::App& app) {
  auto options = std::make_shared<DaemonOptions>();
  AddDaemonOptions(app, *options);
  AddClusterOption(app, *options);
  return
      [options](const Console& console) { return MapView(*options, console); };
}

}  // namespace coolspan
