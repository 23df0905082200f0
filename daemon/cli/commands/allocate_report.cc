// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/allocate_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/flags/room_flags.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/render/wrap_text.h"
#include "core/allocation.h"
#include "core/spec/spec_options.h"
#include "mapping/table.h"

namespace coolspan {
namespace {

// How close a total is to its minimum, as noted by a policy that searches for
// the minimum.
struct Proof {
  std::string_view metric;
  double total;
  double lower_bound;

  bool proved() const { return lower_bound == total; }
  // (total - lower_bound) / total.
  double gap() const { return proved() ? 0 : (total - lower_bound) / total; }
};

std::optional<Proof> ProofIn(const Trace& trace) {
  const auto fact = [&trace](std::string_view name) {
    std::optional<double> number;
    for (const Trace::Fact& entry : trace.facts()) {
      if (entry.name != name) continue;
      if (const auto* whole = std::get_if<std::int64_t>(&entry.value)) {
        number = static_cast<double>(*whole);
      } else if (const auto* real = std::get_if<double>(&entry.value)) {
        number = *real;
      }
    }
    return number;
  };
  const auto lower_bound = fact("lower_bound");
  if (!lower_bound) return std::nullopt;
  if (const auto total = fact("total")) {
    return Proof{"pairwise_total", *total, *lower_bound};
  }
  if (const auto objective = fact("objective")) {
    return Proof{"objective", *objective, *lower_bound};
  }
  return std::nullopt;
}

template <typename Visitor>
void VisitAllMetrics(const AllocateAnswer& answer, const Visitor& visit) {
  VisitMetrics(answer.locality, visit);
  if (answer.cooling.has_value()) VisitMetrics(*answer.cooling, visit);
}

void PrintJson(const AllocateQuestion& question, const AllocateAnswer& answer,
               std::ostream& out) {
  Json json;
  json["policy"] = SpecName(answer.decision.policy);
  json["ordering"] = question.ordering->name();
  std::vector<std::string_view> names;
  for (const NodeId node : answer.decision.allocation.nodes) {
    names.push_back(question.machine->NodeName(node));
  }
  json["nodes"] = names;
  json["ids"] = answer.decision.allocation.nodes;
  VisitAllMetrics(answer,
                  [&json](std::string_view key, std::optional<double> value) {
                    json["metrics"][std::string(key)] = JsonNumber(value);
                  });
  if (answer.ranks.has_value()) {
    json["rank_to_node"] = Json::array();
    for (const NodeId node : answer.ranks->rank_to_node) {
      json["rank_to_node"].push_back(question.machine->NodeName(node));
    }
    json["cost"] = JsonNumber(answer.ranks->cost);
    json["in_order_cost"] = JsonNumber(answer.ranks->in_order_cost);
  }
  if (answer.cooling.has_value()) {
    json["cop_is_sensible"] = answer.cooling->cop_is_sensible;
  }
  json["elapsed_us"] = JsonNumber(answer.elapsed_us);
  json["stopped_early"] = answer.decision.stopped_early;
  if (const auto proof = ProofIn(answer.decision.trace)) {
    json["proof"] = {{"proved", proof->proved()},
                     {"lower_bound", JsonNumber(proof->lower_bound)},
                     {"gap", JsonNumber(proof->gap())}};
  }
  json["why"] =
      Describe(SpecName(answer.decision.policy), answer.decision.trace);
  Json& facts = json["facts"] = Json::object();
  for (const Trace::Fact& fact : answer.decision.trace.facts()) {
    std::visit(
        [&](const auto& value) { facts[std::string(fact.name)] = value; },
        fact.value);
  }
  PrintJsonLine(json, out);
}

void PrintText(const AllocateQuestion& question, const AllocateAnswer& answer,
               const Console& console) {
  constexpr std::size_t kIndent = 2;
  std::ostream& out = console.out;
  out << question.machine->FormatNodes(answer.decision.allocation.nodes) << "\n"
      << WrapText(
             Describe(SpecName(answer.decision.policy), answer.decision.trace),
             console.columns, kIndent)
      << "\n";
  if (const auto proof = ProofIn(answer.decision.trace)) {
    out << (proof->proved()
                ? fmt::format("{}: minimum, proved\n", proof->metric)
                : fmt::format("{}: lower bound {}, gap {:.1f} % (not proved)\n",
                              proof->metric, FormatNumber(proof->lower_bound),
                              100 * proof->gap()));
  }
  if (answer.decision.stopped_early) {
    out << "time limit reached; this is the best result so far\n";
  }
  if (answer.cooling.has_value() && !answer.cooling->cop_is_sensible) {
    out << kCopOutOfRange;
  }
  if (answer.ranks.has_value()) {
    out << fmt::format("ranks mapped by {}: {} byte hops, in-order {}\n",
                       kDefaultMapper, FormatNumber(answer.ranks->cost),
                       FormatNumber(answer.ranks->in_order_cost));
  }
  out << "\n";
  TextTable table({"metric", "value"});
  VisitAllMetrics(answer, [&table](std::string_view key,
                                   std::optional<double> value) {
    table.AddRow({std::string(key), value ? FormatNumber(*value) : kNoValue});
  });
  table.AddRow({"elapsed_us", FormatNumber(answer.elapsed_us)});
  table.Print(out);
}

}  // namespace

void PrintAllocateReport(const AllocateQuestion& question,
                         const AllocateAnswer& answer, const Console& console) {
  if (console.json) {
    PrintJson(question, answer, console.out);
  } else {
    PrintText(question, answer, console);
  }
}

}  // namespace coolspan
