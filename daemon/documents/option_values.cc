// SPDX-License-Identifier: GPL-3.0-or-later
#include "documents/option_values.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "mapping/generated_patterns.h"
#include "mapping/table.h"
#include "ordering/ordering.h"
#include "policy/table.h"
#include "replay/estimates.h"
#include "replay/ports/recorded_policy.h"
#include "replay/runtime_models/runtime_model.h"
#include "replay/schedulers/scheduler.h"
#include "replay/workload_models/workload_model.h"

namespace coolspan {
namespace {

using Words = std::vector<std::string>;

template <typename Table>
Words NamesOf(const Table& table) {
  Words names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

Words Policies() { return NamesOf(PolicyTable()); }
Words PoliciesOfReplay() {
  Words names = Policies();
  names.emplace_back(kRecordedPolicy);
  return names;
}
Words Orderings() { return NamesOf(OrderingTable()); }
Words Schedulers() { return NamesOf(SchedulerTable()); }
Words Estimates() { return NamesOf(EstimateTable()); }
Words RuntimeModels() { return NamesOf(RuntimeModelTable()); }
Words WorkloadModels() { return NamesOf(WorkloadModelTable()); }
Words Mappers() { return NamesOf(MapperTable()); }
Words Patterns() { return NamesOf(GeneratedPatternTable()); }

// Options whose values have no table.
Words Spans() { return {"ring", "linear"}; }
Words IdleStates() { return {"on", "off"}; }
Words ZeroRuns() { return {"skip", "run"}; }
Words DeadlineTimes() { return {"run", "estimate"}; }
Words NodeTypeFields() { return {"none", "partition"}; }
Words CommCosts() { return {"mean-hop", "ordered", "unordered"}; }
Words Routes() { return {"minimal", "valiant"}; }
Words Modes() { return {"enforce", "advise", "off", "default"}; }
Words ClusterActions() { return {"list", "remove"}; }
Words StateActions() { return {"export", "import"}; }

struct Entry {
  std::string_view subcommand;  // empty: all
  std::string_view option;
  Words (*words)();
};

// The first one that matches.
constexpr Entry kEntries[] = {
    {"replay", "--policy", PoliciesOfReplay},
    {"", "--policy", Policies},
    {"", "--situation", Policies},
    {"", "--decision", Policies},
    {"", "--ordering", Orderings},
    {"", "--scheduler", Schedulers},
    {"", "--estimates", Estimates},
    {"", "--runtime-model", RuntimeModels},
    {"", "--model", WorkloadModels},
    {"", "--method", Mappers},
    {"", "--pattern", Patterns},
    {"", "--span", Spans},
    {"", "--idle", IdleStates},
    {"", "--zero-run", ZeroRuns},
    {"", "--deadline-by", DeadlineTimes},
    {"", "--node-types-by", NodeTypeFields},
    {"", "--comm-cost", CommCosts},
    {"", "--routes", Routes},
    {"mode", "MODE", Modes},
    {"cluster", "ACTION", ClusterActions},
    {"state", "ACTION", StateActions},
};

}  // namespace

OptionValues ValuesOf(const CLI::App& subcommand, const CLI::Option& option) {
  const std::string name = option.get_name();
  const std::string type = option.get_type_name();
  OptionValues values;
  values.is_list = option.get_delimiter() == ',';
  values.takes_folders = type == "DIR";
  values.takes_files = type.rfind("FILE", 0) == 0 || type == "CSV" ||
                       (option.get_positional() && name == "FILE");
  for (const Entry& entry : kEntries) {
    if (entry.option != name) continue;
    if (!entry.subcommand.empty() && entry.subcommand != subcommand.get_name())
      continue;
    values.words = entry.words();
    break;
  }
  return values;
}

}  // namespace coolspan
