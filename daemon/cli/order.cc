// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/json.h"
#include "cli/options.h"
#include "cli/subcommand.h"
#include "cli/text_table.h"
#include "config/machine_file.h"
#include "core/hostlist.h"
#include "ordering/locality.h"
#include "ordering/ordering.h"

namespace coolspan {
namespace {

struct Options {
  std::string machine;
  std::string ordering;
  bool compare = false;
};

struct Measured {
  std::shared_ptr<const Ordering> ordering;
  OrderingCost cost;
};

Measured Measure(const Machine& machine,
                 std::shared_ptr<const Ordering> ordering) {
  const OrderingCost cost = MeasureOrdering(machine.topology(), *ordering);
  return {std::move(ordering), cost};
}

// The chosen ordering and every other one of the table that applies to the
// machine without an argument, the least locality cost first.
std::vector<Measured> CompareWith(const Machine& machine,
                                  const Measured& chosen) {
  std::vector<Measured> all = {chosen};
  for (const OrderingEntry& entry : OrderingTable()) {
    if (entry.name.back() == ':' || entry.name == chosen.ordering->name()) {
      continue;
    }
    absl::StatusOr<std::shared_ptr<const Ordering>> ordering =
        MakeOrdering(machine, entry.name);
    if (ordering.ok()) all.push_back(Measure(machine, *std::move(ordering)));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Measured& a, const Measured& b) {
                     return a.cost.locality_cost < b.cost.locality_cost;
                   });
  return all;
}

std::vector<std::string_view> NamesInRankOrder(const Machine& machine,
                                               const Ordering& ordering) {
  std::vector<std::string_view> names;
  names.reserve(ordering.size());
  for (const NodeId node : ordering.nodes()) {
    names.push_back(machine.NodeName(node));
  }
  return names;
}

void AddCost(const OrderingCost& cost, Json& json) {
  json["max_step"] = cost.max_step;
  json["mean_step"] = JsonNumber(cost.mean_step);
  json["locality_cost"] = JsonNumber(cost.locality_cost);
  json["locality_cost_ring"] = JsonNumber(cost.locality_cost_ring);
}

void PrintJson(const Machine& machine, const Measured& chosen,
               const std::vector<Measured>& compared, std::ostream& out) {
  Json json;
  json["ordering"] = chosen.ordering->name();
  json["nodes"] = NamesInRankOrder(machine, *chosen.ordering);
  AddCost(chosen.cost, json);
  for (const Measured& one : compared) {
    Json entry;
    entry["ordering"] = one.ordering->name();
    AddCost(one.cost, entry);
    json["compare"].push_back(std::move(entry));
  }
  PrintJsonLine(json, out);
}

void PrintTable(const Machine& machine, const Measured& chosen,
                const std::vector<Measured>& compared, std::ostream& out) {
  TextTable table({"ordering", "max_step", "mean_step", "locality_cost",
                   "locality_cost_ring"});
  const auto add = [&table](const Measured& one) {
    table.AddRow({one.ordering->name(), FormatNumber(one.cost.max_step),
                  FormatNumber(one.cost.mean_step),
                  FormatNumber(one.cost.locality_cost),
                  FormatNumber(one.cost.locality_cost_ring)});
  };
  if (compared.empty()) {
    out << CompressHostlist(NamesInRankOrder(machine, *chosen.ordering))
        << "\n\n";
    add(chosen);
  }
  for (const Measured& one : compared) add(one);
  table.Print(out);
}

absl::StatusOr<Exit> Order(const Options& options, const Console& console) {
  std::vector<std::string> warnings;
  const auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  const auto ordering = MakeOrdering(**machine, options.ordering);
  if (!ordering.ok()) return ordering.status();
  const Measured chosen = Measure(**machine, *ordering);
  std::vector<Measured> compared;
  if (options.compare) compared = CompareWith(**machine, chosen);
  if (console.json) {
    PrintJson(**machine, chosen, compared, console.out);
  } else {
    PrintTable(**machine, chosen, compared, console.out);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpOrder(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddMachineOption(app, options->machine);
  AddOrderingOption(app, options->ordering);
  app.add_flag("--compare", options->compare,
               "rank all orderings by locality cost");
  return [options](const Console& console) { return Order(*options, console); };
}

}  // namespace coolspan
