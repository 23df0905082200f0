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
      .description = "Name of the machine in reports.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) { m.name = r.PlacedAs<std::string>(); }},
    {{.name = "topology",
      .type = kGroup,
      .description = "Network topology of the nodes.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) { m.topology.place = r.place; }},
    {{.name = "topology.kind",
      .type = kText,
      .description = "Kind of network.",
      .presence = Presence::kRequired,
      .choices = TopologyKindNames},
     [](M& m, const Reading& r) {
       m.topology.kind = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.dims",
      .type = OptionType::kIntegerList,
      .description = "Mesh: number of vertices in each dimension, x first; "
                     "one to six entries.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.dims = r.PlacedAs<std::vector<std::int64_t>>();
     }},
    {{.name = "topology.wrap",
      .type = OptionType::kFlagList,
      .description = "Mesh: whether each dimension wraps around (torus); one "
                     "entry per dimension. Default: no dimension wraps."},
     [](M& m, const Reading& r) {
       m.topology.wrap = r.PlacedAs<std::vector<bool>>();
     }},
    {{.name = "topology.nodes_per_vertex",
      .type = kInteger,
      .description = "Mesh: nodes at each grid point; with coordinates, the "
                     "maximum. With Cray's processor table the default is "
                     "the maximum in the table.",
      .default_text = "1",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.nodes_per_vertex = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.holes",
      .type = OptionType::kTextList,
      .description = "Mesh: grid points without compute nodes, as row-major "
                     "numbers from 0, x fastest, and ranges of numbers "
                     "(\"3,7-9\"), or @FILE, a file of such numbers."},
     [](M& m, const Reading& r) { m.topology.holes = r.PlacedAs<Texts>(); }},
    {{.name = "topology.slurm_topology",
      .type = kText,
      .description = "Fat tree and blocks: Slurm's topology.conf or "
                     "topology.yaml, path relative to this file, for "
                     "topology/tree or topology/block. It also defines the "
                     "node names."},
     [](M& m, const Reading& r) {
       m.topology.slurm_topology = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.slurm_topology_name",
      .type = kText,
      .description = "Fat tree and blocks: name of a topology in "
                     "topology.yaml. Default: the cluster's default, if it is "
                     "of this kind, else the only one of this kind."},
     [](M& m, const Reading& r) {
       m.topology.slurm_topology_name = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.spare_nodes",
      .type = kInteger,
      .description = "Blocks: nodes of each block that jobs with segments "
                     "leave free, for example to replace failed ones.",
      .default_text = "0",
      .min = 0,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.spare_nodes = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.groups",
      .type = kInteger,
      .description = "Dragonfly: number of groups, with one link between "
                     "every pair of groups.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.groups = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.routers",
      .type = kInteger,
      .description = "Dragonfly: number of routers per group, with one link "
                     "between every pair of routers of a group.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.routers = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.nodes",
      .type = kInteger,
      .description = "Dragonfly: number of nodes per router. Optional with "
                     "links; the default is then half of the processor ports "
                     "of the router, rounded up.",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.topology.nodes = r.PlacedAs<std::int64_t>();
     }},
    {{.name = "topology.links",
      .type = kText,
      .description = "Dragonfly: dump of a Cray Aries network, plain or "
                     "gzip, instead of groups and routers."},
     [](M& m, const Reading& r) {
       m.topology.links = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.edges",
      .type = kText,
      .description = "Graph: file with one line \"A B\" per link; # starts a "
                     "comment. Names that are not in nodes are switches."},
     [](M& m, const Reading& r) {
       m.topology.edges = r.PlacedAs<std::string>();
     }},
    {{.name = "topology.matrix",
      .type = kText,
      .description = "Hops: file with one row per node, the hop distances "
                     "from this node to all nodes, both in the order of "
                     "nodes."},
     [](M& m, const Reading& r) {
       m.topology.matrix = r.PlacedAs<std::string>();
     }},
    {{.name = "nodes",
      .type = kText,
      .description = "Names of the nodes as a Slurm hostlist, in vertex "
                     "order (on a mesh x fastest), the nodes of one vertex "
                     "consecutive, holes omitted. A mesh has either nodes or "
                     "coordinates. Optional for a fat tree: the list must "
                     "then contain the same names as topology.conf, and the "
                     "order of topology.conf applies."},
     [](M& m, const Reading& r) { m.nodes = r.PlacedAs<std::string>(); }},
    {{.name = "coordinates",
      .type = kText,
      .description = "Mesh: file with one line \"NAME X Y Z\" per node, in "
                     "any order, one coordinate per dimension, or Cray's "
                     "processor table; plain or gzip; # starts a comment. "
                     "Grid points without a node in the file are holes."},
     [](M& m, const Reading& r) { m.coordinates = r.PlacedAs<std::string>(); }},
    {{.name = "node_types",
      .type = OptionType::kRecords,
      .description = "Power and speed of the nodes. Watts are per node, all "
                     "its servers together."},
     [](M& m, const Reading&) { m.node_types.emplace_back(); }},
    {{.name = "node_types[].name",
      .type = kText,
      .description = "Name of the type in messages.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) {
       m.node_types.back().name = r.PlacedAs<std::string>();
     }},
    {{.name = "node_types[].nodes",
      .type = kText,
      .description = "Nodes of this type, as a Slurm hostlist or ids "
                     "separated by commas. A node has at most one type.",
      .presence = Presence::kRequired},
     [](M& m, const Reading& r) {
       m.node_types.back().nodes = r.PlacedAs<std::string>();
     }},
    {{.name = "node_types[].idle_w",
      .type = kNumber,
      .description = "Power of an idle node, in watts.",
      .presence = Presence::kRequired,
      .min = 0,
      .max = kMaxNodeWatts},
     [](M& m, const Reading& r) {
       m.node_types.back().idle_w = r.As<double>();
     }},
    {{.name = "node_types[].compute_w",
      .type = kNumber,
      .description = "Power of a node that computes, in watts.",
      .presence = Presence::kRequired,
      .min = 0,
      .max = kMaxNodeWatts},
     [](M& m, const Reading& r) {
       m.node_types.back().compute_w = r.As<double>();
     }},
    {{.name = "node_types[].communicate_w",
      .type = kNumber,
      .description = "Power of a node that communicates, in watts.",
      .presence = Presence::kRequired,
      .min = 0,
      .max = kMaxNodeWatts},
     [](M& m, const Reading& r) {
       m.node_types.back().communicate_w = r.As<double>();
     }},
    {{.name = "node_types[].speed",
      .type = kNumber,
      .description = "Speed relative to the other types; needs thermal. In a "
                     "replay, run times are divided by the lowest speed of a "
                     "job's nodes.",
      .default_text = "1",
      .min = 1e-6,
      .max = 1e6},
     [](M& m, const Reading& r) {
       m.node_types.back().speed = r.As<double>();
     }},
    {{.name = "node_types[].servers",
      .type = kInteger,
      .description = "Number of servers in one node.",
      .default_text = "1",
      .min = 1,
      .max = 1e6},
     [](M& m, const Reading& r) {
       m.node_types.back().servers = r.As<std::int64_t>();
     }},
    {{.name = "communication_share",
      .type = kNumber,
      .description = "Share s of its run time that a job communicates: busy "
                     "power is (1-s) compute_w + s communicate_w.",
      .default_text = "0.3",
      .min = 0,
      .max = 1},
     [](M& m, const Reading& r) { m.communication_share = r.As<double>(); }},
    {{.name = "thermal",
      .type = kGroup,
      .description = "Thermal model of the room. Every node must have a node "
                     "type."},
     [](M& m, const Reading& r) {
       m.thermal = M::ThermalPart{};
       m.thermal->place = r.place;
     }},
    {{.name = "thermal.heat_distribution",
      .type = kText,
      .description = "File with the heat distribution matrix D in K/W: row = "
                     "receiving inlet, column = emitting zone. Dense text, "
                     "MatrixMarket or, for large rooms, factors (see THE "
                     "ROOM); plain or gzip, path relative to this file. "
                     "Exactly one of heat_distribution and "
                     "cross_interference is required."},
     [](M& m, const Reading& r) {
       m.thermal->heat_distribution = r.PlacedAs<std::string>();
     }},
    {{.name = "thermal.cross_interference",
      .type = kText,
      .description = "File with the cross-interference matrix A: row = "
                     "emitting zone, column = receiving inlet, entry = share "
                     "of the air leaving the zone that enters the inlet. D = "
                     "(K - A^T K)^-1 - K^-1, so airflow_w_per_k is required "
                     "as well."},
     [](M& m, const Reading& r) {
       m.thermal->cross_interference = r.PlacedAs<std::string>();
     }},
    {{.name = "thermal.airflow_w_per_k",
      .type = OptionType::kNumberList,
      .description = "K = density * flow * heat capacity of the air through "
                     "a zone: one number, or one per zone. Default: a "
                     "uniform value, searched from 50 up, for which D is "
                     "physically valid.",
      .min = 1e-9,
      .max = 1e9},
     [](M& m, const Reading& r) {
       m.thermal->airflow_w_per_k = r.PlacedAs<std::vector<double>>();
     }},
    {{.name = "thermal.zones",
      .type = kGroup,
      .description = "Zones: nodes that share one inlet and one row of D. "
                     "They are counted from 0.",
      .default_text = "{}"},
     Ignore},
    {{.name = "thermal.zones.size",
      .type = kInteger,
      .description = "Number of consecutive nodes per zone; the last zone "
                     "may have fewer.",
      .default_text = "1",
      .min = 1,
      .max = 1 << 22},
     [](M& m, const Reading& r) {
       m.thermal->nodes_per_zone = r.As<std::int64_t>();
     }},
    {{.name = "thermal.idle",
      .type = kText,
      .description = "Whether idle nodes are powered on. With off, a zone "
                     "without busy nodes draws no power; in a zone with a "
                     "busy node, the other nodes draw idle power.",
      .default_text = "\"on\"",
      .choices = OnOff},
     [](M& m, const Reading& r) {
       m.thermal->idle_on = r.As<std::string>() == "on";
     }},
    {{.name = "thermal.supply_c",
      .type = kNumber,
      .description = "Temperature of the supply air, in degrees Celsius.",
      .presence = Presence::kRequired,
      .min = -50,
      .max = 100},
     [](M& m, const Reading& r) { m.thermal->supply_c = r.As<double>(); }},
    {{.name = "thermal.redline_c",
      .type = kNumber,
      .description = "Maximum inlet temperature, in degrees Celsius.",
      .presence = Presence::kRequired,
      .min = -50,
      .max = 150},
     [](M& m, const Reading& r) { m.thermal->redline_c = r.As<double>(); }},
    {{.name = "thermal.cop",
      .type = OptionType::kNumberList,
      .description = "Coefficients c2, c1, c0 of the coefficient of "
                     "performance (CoP), c2 T^2 + c1 T + c0 at a supply "
                     "temperature of T degrees Celsius.",
      .default_text = "[0.0068, 0.0008, 0.458]"},
     [](M& m, const Reading& r) {
       m.thermal->cop = r.PlacedAs<std::vector<double>>();
     }},
    {{.name = "thermal.time_constant_s",
      .type = kNumber,
      .description = "Time constant of the room, in seconds: inlets reach "
                     "two thirds of a step after one, and are steady after "
                     "about three.",
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
