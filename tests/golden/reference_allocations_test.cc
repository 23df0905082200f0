// SPDX-License-Identifier: GPL-3.0-or-later
// Best fit, first fit and sorted free list against the allocations that the
// authors' own simulator made on preset occupancies, given its own orders.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/policy.h"
#include "data_dir.h"
#include "mesh_machine.h"
#include "ordering/ordering.h"
#include "policy/table.h"

namespace coolspan {
namespace {

struct Row {
  std::string preset;
  std::string allocator;
  NodeCount nodes;
  std::vector<NodeId> chosen;  // ascending
};

struct Preset {
  std::string dims;  // as in the names of the curves: 16x16x1
  std::shared_ptr<const Machine> machine;
  NodeSet free;
};

std::vector<NodeId> Ids(std::istream&& text) {
  std::vector<NodeId> ids;
  for (std::string id; text >> id;) {
    ids.push_back(static_cast<NodeId>(std::stoul(id)));
  }
  return ids;
}

std::vector<Row> ReadRows() {
  std::ifstream in(DataDir() / "reference/allocations.tsv");
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);  // names of the columns
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::array<std::string, 6> column;
    for (std::string& text : column) std::getline(columns, text, '\t');
    std::string& ids = column[5];
    std::replace(ids.begin(), ids.end(), ',', ' ');
    Row row{column[0], column[1], static_cast<NodeCount>(std::stoul(column[2])),
            Ids(std::istringstream(ids))};
    std::sort(row.chosen.begin(), row.chosen.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

Preset ReadPreset(const std::string& name) {
  const auto base = DataDir() / "reference/presets";
  Preset preset;
  std::ifstream(base / (name + ".info")) >> preset.dims;
  std::string dims = preset.dims;
  std::replace(dims.begin(), dims.end(), 'x', ' ');
  preset.machine = MeshMachine(FlatGrid(Ids(std::istringstream(dims))));
  preset.free = NodeSet::All(preset.machine->node_count());
  for (const NodeId busy : Ids(std::ifstream(base / (name + ".busy")))) {
    preset.free.Erase(busy);
  }
  return preset;
}

std::shared_ptr<const Policy> PolicyOn(const Preset& preset,
                                       const std::string& policy,
                                       const std::filesystem::path& curve) {
  PolicyOptions options;
  options.ordering =
      MakeOrdering(*preset.machine, "file:" + curve.string()).value();
  options.span = SpanKind::kLinear;
  return MakePolicy(policy, preset.machine, options).value();
}

TEST(ReferenceAllocationsTest, EqualOursWithTheSameOrders) {
  COOLSPAN_NEED_DATA("reference/allocations.tsv");
  const std::map<std::string, std::string> policy_of_suffix = {
      {"bf", "best-fit"}, {"ff", "first-fit"}, {"sfl", "free-list"}};
  std::map<std::string, Preset> presets;
  std::map<std::string, std::shared_ptr<const Policy>> policies;
  int compared = 0;
  for (const Row& row : ReadRows()) {
    for (const std::string curve : {"hilbert", "snake"}) {
      if (row.allocator.rfind(curve, 0) != 0) continue;
      auto preset = presets.find(row.preset);
      if (preset == presets.end()) {
        preset = presets.emplace(row.preset, ReadPreset(row.preset)).first;
      }
      const auto file = DataDir() / "reference/curves" /
                        (curve + "sfl." + preset->second.dims + ".txt");
      if (!std::filesystem::exists(file)) continue;
      std::shared_ptr<const Policy>& policy =
          policies[row.preset + row.allocator];
      if (policy == nullptr) {
        policy = PolicyOn(
            preset->second,
            policy_of_suffix.at(row.allocator.substr(curve.size())), file);
      }
      Request request;
      request.demand = Demand::Nodes(row.nodes);
      Budget budget;
      Trace trace;
      const MachineView view(*preset->second.machine, preset->second.free, {},
                             0);
      const auto allocation = policy->Place(view, request, budget, trace);
      ASSERT_TRUE(allocation.has_value());
      EXPECT_EQ(allocation->nodes, row.chosen)
          << row.preset << " " << row.allocator << " " << row.nodes;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 356);
}

TEST(ReferenceAllocationsTest, TheirSnakeOrderIsOurs) {
  COOLSPAN_NEED_DATA("reference/curves");
  for (const std::string dims : {"16x16x1", "8x8x5", "22x22x22"}) {
    std::string spaced = dims;
    std::replace(spaced.begin(), spaced.end(), 'x', ' ');
    const auto machine = MeshMachine(FlatGrid(Ids(std::istringstream(spaced))));
    const auto file =
        DataDir() / "reference/curves" / ("snakesfl." + dims + ".txt");
    const auto theirs = MakeOrdering(*machine, "file:" + file.string()).value();
    const auto ours = MakeOrdering(*machine, "snake").value();
    EXPECT_TRUE(std::equal(theirs->nodes().begin(), theirs->nodes().end(),
                           ours->nodes().begin()))
        << dims;
  }
}

}  // namespace
}  // namespace coolspan
