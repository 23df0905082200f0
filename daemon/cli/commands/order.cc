// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/compared_orderings.h"
#include "cli/flags/shared_options.h"
#include "cli/flags/workload_flags.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "core/hostlist.h"
#include "ordering/ordering.h"
#include "replay/progress_bar.h"
#include "replay/status_line.h"

namespace coolspan {
namespace {

struct OrderOptions {
  std::string machine;
  std::string ordering;
  bool compare = false;
  std::string trace;
  std::string policy = "best-fit";
  std::string scheduler = "easy";
  std::string span;
  WorkloadFlags workload;
};

std::vector<std::string_view> NamesInRankOrder(const Machine& machine,
                                               const Ordering& ordering) {
  std::vector<std::string_view> names;
  names.reserve(ordering.size());
  for (const NodeId node : ordering.nodes()) {
    names.push_back(machine.NodeName(node));
  }
  return names;
}

void AddCosts(const MeasuredOrdering& one, Json& json) {
  json["max_step"] = one.cost.max_step;
  json["mean_step"] = JsonNumber(one.cost.mean_step);
  json["locality_cost"] = JsonNumber(one.cost.locality_cost);
  json["locality_cost_ring"] = JsonNumber(one.cost.locality_cost_ring);
  const std::optional<OrderingProof>& proof = one.ordering->proof();
  if (!proof.has_value()) return;
  json["objective"] = proof->ring ? "locality_cost_ring" : "locality_cost";
  json["proved"] = proof->proved;
  json["bound"] = JsonNumber(proof->bound);
  json["gap"] = JsonNumber(proof->gap);
}

Json ComparedJson(const MeasuredOrdering& one) {
  Json json;
  json["ordering"] = one.ordering->name();
  AddCosts(one, json);
  json["place"] = one.cost_place;
  if (!one.replay.has_value()) return json;
  json["replay_place"] = one.replay_place;
  Json& metrics = json["replay"] = Json::object();
  for (const NamedValue& metric : one.replay->metrics) {
    metrics[metric.name] = JsonNumber(metric.value);
  }
  return json;
}

void PrintJson(const Machine& machine, const MeasuredOrdering& chosen,
               const std::vector<MeasuredOrdering>& compared,
               std::ostream& out) {
  Json json;
  json["ordering"] = chosen.ordering->name();
  json["nodes"] = NamesInRankOrder(machine, *chosen.ordering);
  AddCosts(chosen, json);
  for (const MeasuredOrdering& one : compared) {
    json["compare"].push_back(ComparedJson(one));
  }
  PrintJsonLine(json, out);
}

void PrintProof(const MeasuredOrdering& one, std::ostream& out) {
  const std::optional<OrderingProof>& proof = one.ordering->proof();
  if (!proof.has_value()) return;
  const char* const objective =
      proof->ring ? "locality_cost_ring" : "locality_cost";
  out << one.ordering->name() << ": ";
  if (proof->proved) {
    out << "minimum " << objective << ", proved\n";
  } else {
    out << fmt::format("{}: lower bound {}, gap {:.2f} % (not proved)\n",
                       objective, FormatNumber(proof->bound), 100 * proof->gap);
  }
}

std::vector<std::string> Cells(const MeasuredOrdering& one) {
  std::vector<std::string> cells = {
      one.ordering->name(), FormatNumber(one.cost.max_step),
      FormatNumber(one.cost.mean_step), FormatNumber(one.cost.locality_cost),
      FormatNumber(one.cost.locality_cost_ring)};
  if (!one.replay.has_value()) return cells;
  for (const char* const name : {"pairwise_total", "ring_span"}) {
    for (const NamedValue& metric : one.replay->metrics) {
      if (metric.name != name) continue;
      cells.push_back(metric.value ? FormatNumber(*metric.value) : kNoValue);
    }
  }
  cells.push_back(std::to_string(one.replay_place));
  return cells;
}

void PrintTable(const Machine& machine, const MeasuredOrdering& chosen,
                const std::vector<MeasuredOrdering>& compared,
                const Console& console) {
  std::ostream& out = console.out;
  std::vector<std::string> headings = {"ordering", "max_step", "mean_step",
                                       "locality_cost", "locality_cost_ring"};
  if (!compared.empty() && compared.front().replay.has_value()) {
    headings.insert(headings.end(), {"replayed pairwise_total",
                                     "replayed ring_span", "replay place"});
  }
  TextTable table(std::move(headings));
  if (compared.empty()) {
    out << CompressHostlist(NamesInRankOrder(machine, *chosen.ordering))
        << "\n\n";
    table.AddRow(Cells(chosen));
  }
  for (const MeasuredOrdering& one : compared) table.AddRow(Cells(one));
  table.Print(out, console.columns);
  if (compared.empty()) PrintProof(chosen, out);
  for (const MeasuredOrdering& one : compared) PrintProof(one, out);
}

// Empty without --trace.
absl::StatusOr<std::optional<OrderingTrial>> ReadTrial(
    const OrderOptions& options, NodeCount machine_nodes) {
  if (options.trace.empty()) return std::nullopt;
  if (!options.compare) {
    return absl::InvalidArgumentError("--trace: requires --compare");
  }
  OrderingTrial trial;
  trial.policy = options.policy;
  trial.seed = options.workload.options.seed;
  const absl::StatusOr<SpanKind> span = ParseSpan(options.span);
  if (!span.ok()) return span.status();
  trial.span = *span;
  absl::StatusOr<SchedulerChoice> scheduler =
      SchedulerChoice::Create(options.scheduler);
  if (!scheduler.ok()) return scheduler.status();
  trial.scheduler = *std::move(scheduler);
  absl::StatusOr<WorkloadOptions> workload_options =
      ReadWorkloadFlags(options.workload);
  if (!workload_options.ok()) return workload_options.status();
  workload_options->needs_starts = trial.scheduler.NeedsStarts();
  absl::StatusOr<Workload> workload =
      LoadWorkload(options.trace, *workload_options, machine_nodes);
  if (!workload.ok()) return workload.status();
  trial.workload = std::make_shared<const Workload>(*std::move(workload));
  return trial;
}

absl::Status ReplayWithProgress(const std::shared_ptr<const Machine>& machine,
                                const OrderingTrial& trial,
                                const Console& console,
                                std::vector<MeasuredOrdering>& compared) {
  std::atomic<std::uint64_t> started = 0;
  std::optional<ProgressBar> bar;
  if (console.progress) {
    bar.emplace(console.err, started,
                trial.workload->jobs.size() * compared.size());
  }
  return ReplayOrderings(machine, trial, compared, started);
}

// MakeOrdering with the elapsed time on a terminal: mip searches up to its time
// limit, 60 s by default, and reports no progress.
absl::StatusOr<std::shared_ptr<const Ordering>> MakeShown(
    const Machine& machine, std::string_view spec, const Console& console) {
  std::optional<StatusLine> line;
  if (console.progress) {
    const std::string what =
        spec.empty() ? "default ordering" : fmt::format("ordering {}", spec);
    line.emplace(console.err, [what, start = std::chrono::steady_clock::now()] {
      const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(
          std::chrono::steady_clock::now() - start);
      return fmt::format("computing {}: {} s elapsed", what, elapsed.count());
    });
  }
  return MakeOrdering(machine, spec);
}

absl::StatusOr<Exit> Order(const OrderOptions& options,
                           const Console& console) {
  std::vector<std::string> warnings;
  const auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  const absl::StatusOr<std::optional<OrderingTrial>> trial =
      ReadTrial(options, (*machine)->node_count());
  if (!trial.ok()) return trial.status();
  const auto ordering = MakeShown(**machine, options.ordering, console);
  if (!ordering.ok()) return ordering.status();
  const MeasuredOrdering chosen = MeasureOrderingOf(**machine, *ordering);
  std::vector<MeasuredOrdering> compared;
  if (options.compare) {
    compared =
        CompareOrderings(**machine, chosen,
                         [&console](const Machine& of, std::string_view spec) {
                           return MakeShown(of, spec, console);
                         });
  }
  if (trial->has_value()) {
    const absl::Status tried =
        ReplayWithProgress(*machine, **trial, console, compared);
    if (absl::IsFailedPrecondition(tried)) {
      console.err << tried.message() << "\n";
      return Exit::kCannotBeMet;
    }
    if (!tried.ok()) return tried;
  }
  if (console.json) {
    PrintJson(**machine, chosen, compared, console.out);
  } else {
    PrintTable(**machine, chosen, compared, console);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpOrder(CLI::App& app) {
  auto options = std::make_shared<OrderOptions>();
  AddMachineOption(app, options->machine);
  AddOrderingOption(app, options->ordering);
  app.add_flag("--compare", options->compare,
               "rank all orderings by locality cost; includes mip on up to 64 "
               "nodes, for 5 s");
  CLI::Option* const trace =
      app.add_option("--trace", options->trace,
                     "with --compare: replay this trace on each ordering and "
                     "rank them by mean pairwise_total too")
          ->type_name("FILE");
  const std::size_t without_replay = app.get_options().size();
  AddPolicyOption(app, options->policy)->required(false)->capture_default_str();
  app.add_option("--scheduler", options->scheduler, "scheduler of the replay")
      ->type_name("NAME")
      ->capture_default_str();
  AddSpanOption(app, options->span);
  AddWorkloadFlags(app, options->workload);
  AddSeedOption(app, options->workload.options.seed,
                "seed of random policies, --replicate and --jitter");
  const std::vector<CLI::Option*> all = app.get_options();
  for (std::size_t i = without_replay; i < all.size(); ++i) {
    all[i]->needs(trace);
  }
  return [options](const Console& console) { return Order(*options, console); };
}

}  // namespace coolspan
