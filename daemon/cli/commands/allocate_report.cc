// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/allocate_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/flags/room_flags.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "core/allocation.h"

namespace coolspan {
namespace {

// What a policy says that looked for the least of something.
struct Proof {
  std::string_view of;
  double total;
  double lower_bound;

  bool proved() const { return lower_bound == total; }
  // As a share of the total.
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

}  // namespace

void PrintAllocateJson(const AllocateQuestion& question,
                       const AllocateAnswer& answer, std::ostream& out) {
  Json json;
  json["policy"] = answer.decision.policy;
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
  json["why"] = Describe(answer.decision.policy, answer.decision.trace);
  PrintJsonLine(json, out);
}

void PrintAllocateText(const AllocateQuestion& question,
                       const AllocateAnswer& answer, std::ostream& out) {
  const auto& nodes = answer.decision.allocation.nodes;
  out << question.machine->FormatNodes(nodes) << "\n"
      << Describe(answer.decision.policy, answer.decision.trace) << "\n";
  if (const auto proof = ProofIn(answer.decision.trace)) {
    out << (proof->proved()
                ? fmt::format("no choice has a smaller {}\n", proof->of)
                : fmt::format("{} cannot be below {}; that is {:.1f} % less "
                              "(not proved; a longer search may)\n",
                              proof->of, FormatNumber(proof->lower_bound),
                              100 * proof->gap()));
  }
  if (answer.decision.stopped_early) {
    out << "stopped at the time limit with the best so far\n";
  }
  if (answer.cooling.has_value() && !answer.cooling->cop_is_sensible) {
    out << kCopMakesNoSense;
  }
  out << "\n";
  TextTable table({"metric", "value"});
  VisitAllMetrics(answer, [&table](std::string_view key,
                                   std::optional<double> value) {
    table.AddRow({std::string(key), value ? FormatNumber(*value) : kNotThere});
  });
  table.AddRow({"elapsed_us", FormatNumber(answer.elapsed_us)});
  table.Print(out);
}

}  // namespace coolspan
