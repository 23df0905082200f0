// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_options.h"

#include "config/machine/topology_kinds.h"
#include "formats/power_file.h"

namespace coolspan {
namespace {

using M = MachineDescription;
using Reading = OptionReading;
using Texts = std::vector<std::string>;

constexpr OptionType kText = OptionType::kText;
constexpr OptionType kInteger = OptionType::kInteger;
constexpr OptionType kNumber = OptionType::kNumber;
constexpr OptionType kGroup = OptionType::kGroup;

void Ignore(M&, const Reading&) {}

std::vector<std::string_view> OnOff() { return {"on", "off"}; }

const Option<M> kTable[] = {
    {{.name = "name",
      .type = kText,
      .description = "What the machine is called in reports.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) { m.name = r.PlacedAs<std::string>(); }},
    {{.name = "topology",
      .type = kGroup,
      .description = "How the nodes are wired.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) { m.topology.place = r.place; }},
    {{.name = "topology.kind",
      .type = kText,
      .description = "The kind of network.",
      .presence = Presence::kRequired,
      .choices = TopologyKindNames},
     [](M& m, const Reading& r) {
       m.topology.kind = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.dims",
      .type = OptionType::kIntegerList,
      .description = "Vertices of a mesh in each dimension, x first: one to "
                     "six numbers.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.dims = r.PlacedAs<std::vector<std::int64_t>>();
     }},
    {{.name = "topology.wrap",
      .type = OptionType::kFlagList,
      .description = "Which dimensions are rings (a torus): as many entries "
                     "as dims. None where it is left out."},
     [](M& m, const Reading& r) {
       m.topology.wrap = r.PlacedAs<std::vector<bool>>();
     }},
    {{.name = "topology.nodes_per_vertex",
      .type = kInteger,
      .description =
          "Nodes that share one grid point; by coordinates, the most "
          "that do. With Cray's table the default is what the table "
          "has.",
      .default_text = "1",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.nodes_per_vertex = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.holes",
      .type = OptionType::kTextList,
      .description = "Grid points without compute nodes: row-major numbers "
                     "from 0, x fastest, and ranges of them (\"3,7-9\"), or "
                     "@FILE with such numbers."},
     [](M& m, const Reading& r) { m.topology.holes = r.PlacedAs<Texts>(); }},
    {{.name = "topology.slurm_topology",
      .type = kText,
      .description =
          "Of a fat tree: Slurm's topology.conf, path relative to this "
          "file. It names the nodes."},
     [](M& m, const Reading& r) {
       m.topology.slurm_topology = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.groups",
      .type = kInteger,
      .description =
          "Of a dragonfly: how many groups there are, each two with one "
          "link.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.groups = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.routers",
      .type = kInteger,
      .description =
          "Of a dragonfly: routers of a group, each with a link to each "
          "other.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.routers = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.nodes",
      .type = kInteger,
      .description =
          "Of a dragonfly: nodes at a router. Beside links it may be left "
          "out: half of the router's processor ports then.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.nodes = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.links",
      .type = kText,
      .description =
          "Of a dragonfly, in the place of groups and routers: the dump of a "
          "Cray Aries network, plain or gzip."},
     [](M& m, const Reading& r) {
       m.topology.links = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.edges",
      .type = kText,
      .description =
          "Of a graph: a file with a line \"A B\" for each link; # starts a "
          "comment. Names that are not in nodes are switches."},
     [](M& m, const Reading& r) {
       m.topology.edges = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.matrix",
      .type = kText,
      .description =
          "Of kind hops: a file with a line for each node, the hops to each "
          "node in it, in the order of nodes."},
     [](M& m, const Reading& r) {
       m.topology.matrix = r.PlacedAs<std::string>();
     }},
    {{.name = "nodes",
      .type = kText,
      .description = "The nodes' names as a Slurm hostlist, in vertex order "
                     "(on a mesh x fastest), the nodes of one vertex "
                     "consecutive, holes left out. A mesh has either this or "
                     "coordinates. Fat trees may leave it out; where they have "
                     "it, it lists the same nodes as their own file, whose "
                     "order counts."},
     [](M& m, const Reading& r) { m.nodes = r.PlacedAs<std::string>(); }},
    {{.name = "coordinates",
      .type = kText,
      .description = "Of a mesh: a file with a line \"NAME X Y Z\" for each "
                     "node, as many coordinates as dims, in any order, or "
                     "Cray's processor table; plain or gzip; # starts a "
                     "comment. Grid points it does not name are holes."},
     [](M& m, const Reading& r) { m.coordinates = r.PlacedAs<std::string>(); }},
    {{.name = "node_types",
      .type = OptionType::kRecords,
      .description = "What the nodes draw and how fast they are. Watts per "
                     "node, all its servers together."},
     [](M& m, const Reading&) { m.node_types.emplace_back(); }},
    {{.name = "node_types[].name",
      .type = kText,
      .description = "What the type is called in messages.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) {
       m.node_types.back().name = r.PlacedAs<std::string>();
     }},
    {{.name = "node_types[].nodes",
      .type = kText,
      .description = "Its nodes, as a Slurm hostlist or ids separated by "
                     "commas. A node has one type.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) {
       m.node_types.back().nodes = r.PlacedAs<std::string>();
     }},
    {{.name = "node_types[].idle_w",
      .type = kNumber,
      .description = "Watts of an idle node.",
      .presence = Presence::kRequired,
      .min = 0,
      .max = kMaxNodeWatts},
     [](M& m, const Reading& r) {
       m.node_types.back().idle_w = r.As<double>();
     }},
    {{.name = "node_types[].compute_w",
      .type = kNumber,
      .description = "Watts of a node that computes.",
      .presence = Presence::kRequired,
      .min = 0,
      .max = kMaxNodeWatts},
     [](M& m, const Reading& r) {
       m.node_types.back().compute_w = r.As<double>();
     }},
    {{.name = "node_types[].communicate_w",
      .type = kNumber,
      .description = "Watts of a node that communicates.",
      .presence = Presence::kRequired,
      .min = 0,
      .max = kMaxNodeWatts},
     [](M& m, const Reading& r) {
       m.node_types.back().communicate_w = r.As<double>();
     }},
    {{.name = "node_types[].speed",
      .type = kNumber,
      .description = "Speed relative to the other types.",
      .default_text = "1",
      .min = 1e-6,
      .max = 1e6},
     [](M& m, const Reading& r) {
       m.node_types.back().speed = r.As<double>();
     }},
    {{.name = "node_types[].servers",
      .type = kInteger,
      .description = "Servers that one node stands for.",
      .default_text = "1",
      .min = 1,
      .max = 1e6},
     [](M& m, const Reading& r) {
       m.node_types.back().servers = r.As<std::int64_t>();
     }},
    {{.name = "communication_share",
      .type = kNumber,
      .description = "Share s of its time that a job communicates: busy power "
                     "is (1-s) compute_w + s communicate_w.",
      .default_text = "0.3",
      .min = 0,
      .max = 1},
     [](M& m, const Reading& r) { m.communication_share = r.As<double>(); }},
    {{.name = "thermal",
      .type = kGroup,
      .description = "How the room carries heat; node_types has to say what "
                     "all nodes draw."},
     [](M& m, const Reading& r) {
       m.thermal = M::ThermalPart{};
       m.thermal->place = r.place;
     }},
    {{.name = "thermal.heat_distribution",
      .type = kText,
      .description = "File with the matrix D in K/W, dense text, "
                     "MatrixMarket or, of a large room, in factors; plain or "
                     "gzip, path relative to this "
                     "file: row = inlet that receives, column = zone that "
                     "emits. Either this or cross_interference."},
     [](M& m, const Reading& r) {
       m.thermal->heat_distribution = r.PlacedAs<std::string>();
     }},
    {{.name = "thermal.cross_interference",
      .type = kText,
      .description = "File with the matrix A: row = zone whose air leaves, "
                     "column = inlet, entry = the share of that air which "
                     "enters there. D = (K - A^T K)^-1 - K^-1, so "
                     "airflow_w_per_k is needed beside it."},
     [](M& m, const Reading& r) {
       m.thermal->cross_interference = r.PlacedAs<std::string>();
     }},
    {{.name = "thermal.airflow_w_per_k",
      .type = OptionType::kNumberList,
      .description = "K: density times flow times heat capacity of the air "
                     "through a zone, one number or one for each zone. "
                     "Without, a uniform one of 50 and more is searched with "
                     "which D is physical.",
      .min = 1e-9,
      .max = 1e9},
     [](M& m, const Reading& r) {
       m.thermal->airflow_w_per_k = r.PlacedAs<std::vector<double>>();
     }},
    {{.name = "thermal.zones",
      .type = kGroup,
      .description = "What has one inlet and one row of D.",
      .default_text = "{}"},
     Ignore},
    {{.name = "thermal.zones.size",
      .type = kInteger,
      .description = "Consecutive nodes for each zone; the last may have "
                     "fewer.",
      .default_text = "1",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.thermal->nodes_per_zone = r.As<std::int64_t>();
     }},
    {{.name = "thermal.idle",
      .type = kText,
      .description = "Whether idle nodes are on. Off: a zone all of whose "
                     "nodes are idle draws nothing; one with a busy node draws "
                     "the idle power of the others too.",
      .default_text = "\"on\"",
      .choices = OnOff},
     [](M& m, const Reading& r) {
       m.thermal->idle_on = r.As<std::string>() == "on";
     }},
    {{.name = "thermal.supply_c",
      .type = kNumber,
      .description = "Temperature of the supplied air, in degrees Celsius.",
      .presence = Presence::kRequired,
      .min = -50,
      .max = 100},
     [](M& m, const Reading& r) { m.thermal->supply_c = r.As<double>(); }},
    {{.name = "thermal.redline_c",
      .type = kNumber,
      .description = "Highest inlet temperature allowed, in degrees Celsius.",
      .presence = Presence::kRequired,
      .min = -50,
      .max = 150},
     [](M& m, const Reading& r) { m.thermal->redline_c = r.As<double>(); }},
    {{.name = "thermal.cop",
      .type = OptionType::kNumberList,
      .description = "c2, c1, c0 of the coefficient of performance, "
                     "c2 T^2 + c1 T + c0 at T degrees Celsius supplied.",
      .default_text = "[0.0068, 0.0008, 0.458]"},
     [](M& m, const Reading& r) {
       m.thermal->cop = r.PlacedAs<std::vector<double>>();
     }},
    {{.name = "thermal.time_constant_s",
      .type = kNumber,
      .description = "Seconds in which the room covers two thirds of a step; "
                     "steady after about three of them.",
      .default_text = "160",
      .min = 1e-3},
     [](M& m, const Reading& r) {
       m.thermal->time_constant_s = r.As<double>();
     }},
};

}  // namespace

std::span<const Option<MachineDescription>> MachineOptionTable() {
  return kTable;
}

}  // namespace coolspan
