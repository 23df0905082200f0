// SPDX-License-Identifier: GPL-3.0-or-later
// mpit on the 40-node room against proven optima: max_i T_in,i - T_sup in
// kelvins.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/policy.h"
#include "folders.h"
#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr NodeCount kNodes = 40;
constexpr double kIdleW = 1000;

struct Case {
  std::string name;
  double busy_w;  // above idle
  NodeCount nodes;
  double relaxation_k;
  double min_k;
  std::vector<NodeId> busy;
};

std::vector<Case> ReadCases() {
  std::ifstream in(DataDir() / "reference/mpit_cases.tsv");
  std::vector<Case> cases;
  std::string line;
  std::getline(in, line);  // header
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::array<std::string, 10> column;
    for (std::string& text : column) std::getline(columns, text, '\t');
    std::replace(column[9].begin(), column[9].end(), ',', ' ');
    Case test_case{column[0] + " with " + column[1] + " W",
                   std::stod(column[1]),
                   static_cast<NodeCount>(std::stoul(column[3])),
                   std::stod(column[4]),
                   std::stod(column[5]),
                   {}};
    std::istringstream ids(column[9]);
    for (NodeId id = 0; ids >> id;) test_case.busy.push_back(id);
    EXPECT_EQ(test_case.busy.size(), std::stoul(column[2])) << test_case.name;
    cases.push_back(std::move(test_case));
  }
  return cases;
}

std::shared_ptr<const Machine> Boston40(double busy_w) {
  std::ifstream in(DataDir() / "heat/boston40-D.txt");
  std::vector<double> heat;
  for (double entry = 0; in >> entry;) heat.push_back(entry);
  Room::Description room = RoomDescription(kNodes, kNodes, heat);
  const double max_w = kIdleW + busy_w;
  room.types = {{.idle_w = kIdleW, .compute_w = max_w, .communicate_w = max_w}};
  const auto mesh = MeshMachine(FlatGrid({4, 5, 2}));
  return InRoom(*mesh, std::move(room));
}

double NumberOf(const Trace& trace, std::string_view name) {
  for (const Trace::Fact& fact : trace.facts()) {
    if (fact.name == name) return std::get<double>(fact.value);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

TEST(MpitCases, EveryCaseIsProvedOptimal) {
  COOLSPAN_NEED_DATA("reference/mpit_cases.tsv");
  COOLSPAN_NEED_DATA("heat/boston40-D.txt");
  const std::vector<Case> cases = ReadCases();
  EXPECT_EQ(cases.size(), 78U);
  for (const Case& test_case : cases) {
    const auto machine = Boston40(test_case.busy_w);
    NodeSet free = NodeSet::All(kNodes);
    for (const NodeId node : test_case.busy) free.Erase(node);
    const RoomWithJobs before(*machine, free);
    const auto policy =
        MakePolicy("mpit", machine,
                   {MakeOrdering(*machine, "row-major").value()})
            .value();
    Request request;
    request.demand = Demand::Nodes(test_case.nodes);
    Budget budget;
    Trace trace;
    const auto placed =
        policy->Place(MachineView(*machine, free, {}, 0, before.view()),
                      request, budget, trace);
    ASSERT_TRUE(placed.has_value()) << test_case.name;
    for (const NodeId node : placed->nodes) free.Erase(node);
    const RoomWithJobs after(*machine, free);
    const double peak_c = *std::max_element(after.view()->inlet_c().begin(),
                                            after.view()->inlet_c().end());
    const double supply_c = machine->room()->supply_c();
    EXPECT_NEAR(peak_c - supply_c, test_case.min_k, 0.001) << test_case.name;
    EXPECT_NEAR(NumberOf(trace, "peak_inlet_c"), peak_c, 1e-9)
        << test_case.name;
    EXPECT_LE(NumberOf(trace, "bound_c"), peak_c) << test_case.name;
    EXPECT_GE(NumberOf(trace, "bound_c") - supply_c,
              test_case.relaxation_k - 1e-5)
        << test_case.name;
    EXPECT_LE(NumberOf(trace, "gap_k"), 0.001) << test_case.name;
    EXPECT_LE(NumberOf(trace, "relaxation_gap_k"), 0.005) << test_case.name;
  }
}

}  // namespace
}  // namespace coolspan
