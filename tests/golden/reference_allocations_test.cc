// SPDX-License-Identifier: GPL-3.0-or-later
// best-fit, first-fit and free-list compared with the allocations of the
// authors' simulator on preset occupancies, with the simulator's curves.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "core/policy.h"
#include "folders.h"
#include "mesh_machine.h"
#include "ordering/ordering.h"
#include "policy/table.h"

namespace coolspan {
namespace {

struct Row {
  std::string preset;
  std::string allocator;
  NodeCount nodes;
  std::uint64_t total;         // pairwise hop distance
  std::vector<NodeId> chosen;  // ascending
};

struct Preset {
  std::string dims;  // as in the file names of the curves: 16x16x1
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
  std::getline(in, line);  // column names
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::array<std::string, 6> column;
    for (std::string& text : column) std::getline(columns, text, '\t');
    std::string& ids = column[5];
    std::replace(ids.begin(), ids.end(), ',', ' ');
    Row row{column[0], column[1], static_cast<NodeCount>(std::stoul(column[2])),
            std::stoull(column[3]), Ids(std::istringstream(ids))};
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

TEST(ReferenceAllocationsTest, IntervalPoliciesEqualTheReference) {
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

// The minimum over free centres c of the sum over nodes v of the shell number
// max over i of |v_i - c_i|.
std::uint64_t ShellSum(const Preset& preset, const std::vector<NodeId>& nodes) {
  const Topology& topology = preset.machine->topology();
  const std::size_t dimensions = topology.grid()->dims.size();
  const auto at = [&](NodeId node) {
    std::vector<std::uint32_t> coordinates(dimensions);
    topology.grid()->CoordinatesOf(topology.VertexOf(node), coordinates);
    return coordinates;
  };
  std::uint64_t min_sum = ~0ULL;
  preset.free.ForEach([&](NodeId centre) {
    const auto from = at(centre);
    std::uint64_t sum = 0;
    for (const NodeId node : nodes) {
      const auto to = at(node);
      std::uint32_t shell = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        shell = std::max(shell,
                         from[d] < to[d] ? to[d] - from[d] : from[d] - to[d]);
      }
      sum += shell;
    }
    min_sum = std::min(min_sum, sum);
  });
  return min_sum;
}

// 1 for two totals of 0.
double RatioOf(std::uint64_t total, std::uint64_t reference) {
  if (reference == 0) return 1.0 + static_cast<double>(total);
  return static_cast<double>(total) / static_cast<double>(reference);
}

// The centre-based policies break ties differently from the reference, so
// totals are compared. With ties=paper, none is more than 2 % above the
// reference, and the mean is not above it. Exception: mc1x1 minimizes the sum
// of shell numbers by definition. In the cases where it is less compact by more
// than 2 %, the reference has a larger sum around every free centre, so it is
// not an answer of MC1x1. With the default ties, which leave better nodes to
// later jobs, only the mean is compared.
TEST(ReferenceAllocationsTest, CentrePoliciesAreAsCompact) {
  COOLSPAN_NEED_DATA("reference/allocations.tsv");
  std::map<std::string, Preset> presets;
  std::map<std::string, std::vector<double>> ratios;
  int of_larger_shell_sum = 0;
  for (const Row& row : ReadRows()) {
    const std::string& name = row.allocator;
    if (name != "mc1x1" && name != "mm" && name != "genalg") continue;
    if (presets.find(row.preset) == presets.end()) {
      presets.emplace(row.preset, ReadPreset(row.preset));
    }
    const Preset& preset = presets.at(row.preset);
    PolicyOptions options;
    options.ordering = MakeOrdering(*preset.machine, "").value();
    for (const std::string& spec : {name, name + ":ties=paper"}) {
      const auto policy = MakePolicy(spec, preset.machine, options).value();
      Request request;
      request.demand = Demand::Nodes(row.nodes);
      Budget budget;
      Trace trace;
      const MachineView view(*preset.machine, preset.free, {}, 0);
      const auto allocation = policy->Place(view, request, budget, trace);
      ASSERT_TRUE(allocation.has_value());
      const std::uint64_t total =
          preset.machine->topology().PairwiseTotal(allocation->nodes);
      ratios[spec].push_back(RatioOf(total, row.total));
      if (spec == name || ratios[spec].back() <= 1.02) continue;
      EXPECT_EQ(name, "mc1x1") << row.preset << " " << row.nodes;
      EXPECT_LT(ShellSum(preset, allocation->nodes),
                ShellSum(preset, row.chosen))
          << row.preset << " " << row.nodes;
      ++of_larger_shell_sum;
    }
  }
  EXPECT_EQ(of_larger_shell_sum, 4);
  for (const auto& [name, all] : ratios) {
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    EXPECT_GE(all.size(), 75U) << name;
    EXPECT_LE(sum, static_cast<double>(all.size())) << name;
    RecordProperty(name, std::to_string(sum / static_cast<double>(all.size())));
  }
}

TEST(ReferenceAllocationsTest, SnakeOrderEqualsTheReference) {
  COOLSPAN_NEED_DATA("reference/curves");
  for (const std::string dims : {"16x16x1", "8x8x5", "22x22x22"}) {
    std::string spaced = dims;
    std::replace(spaced.begin(), spaced.end(), 'x', ' ');
    const auto machine = MeshMachine(FlatGrid(Ids(std::istringstream(spaced))));
    const auto file =
        DataDir() / "reference/curves" / ("snakesfl." + dims + ".txt");
    const auto reference =
        MakeOrdering(*machine, "file:" + file.string()).value();
    const auto ours = MakeOrdering(*machine, "snake").value();
    EXPECT_TRUE(std::equal(reference->nodes().begin(), reference->nodes().end(),
                           ours->nodes().begin()))
        << dims;
  }
}

}  // namespace
}  // namespace coolspan
