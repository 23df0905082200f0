// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/map_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "core/counted.h"

namespace coolspan {
namespace {

double GainPercent(const MapReport& report) {
  constexpr double kPercent = 100;
  if (report.in_order_cost == 0) return 0;
  return kPercent * (report.in_order_cost - report.cost) / report.in_order_cost;
}

const std::string& NameOf(const MapReport& report, std::size_t rank) {
  return report.nodes[report.rank_to_node[rank]];
}

void PrintJson(const MapReport& report, std::ostream& out) {
  Json json;
  json["rank_to_node"] = Json::array();
  for (const std::uint32_t node : report.rank_to_node) {
    json["rank_to_node"].push_back(report.nodes[node]);
  }
  json["cost"] = JsonNumber(report.cost);
  json["in_order_cost"] = JsonNumber(report.in_order_cost);
  json["gain_percent"] = JsonNumber(GainPercent(report));
  json["method"] = report.method;
  json["ranks"] = report.rank_to_node.size();
  json["nodes"] = report.nodes.size();
  json["stopped_early"] = report.stopped_early;
  PrintJsonLine(json, out);
}

// Ranks by node, each list ascending.
std::vector<std::vector<std::size_t>> RanksOf(const MapReport& report) {
  std::vector<std::vector<std::size_t>> ranks(report.nodes.size());
  for (std::size_t rank = 0; rank < report.rank_to_node.size(); ++rank) {
    ranks[report.rank_to_node[rank]].push_back(rank);
  }
  return ranks;
}

// "0-3,7".
std::string ListOf(std::span<const std::size_t> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
      ++last;
    }
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", ranks[i])
                      : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return text.empty() ? "-" : text;
}

void PrintText(const MapReport& report, const Console& console) {
  std::ostream& out = console.out;
  const auto cost = [&report](double byte_hops) {
    const double per_byte = report.bytes > 0 ? byte_hops / report.bytes : 0;
    return fmt::format("{} byte hops ({:.3f} hops per byte)",
                       FormatNumber(byte_hops), per_byte);
  };
  out << fmt::format("{}: {} on {}, {} bytes\n", report.pattern,
                     Counted(report.rank_to_node.size(), "rank"),
                     Counted(report.nodes.size(), "node"),
                     FormatNumber(report.bytes));
  out << fmt::format("in-order: {}\n", cost(report.in_order_cost));
  out << fmt::format("{}: {}, {:.1f} % {}\n", report.method, cost(report.cost),
                     std::abs(GainPercent(report)),
                     report.cost <= report.in_order_cost ? "less" : "more");
  if (report.stopped_early) {
    out << "time limit reached; this is the best result so far\n";
  }
  out << "\n";
  TextTable table({"node", "ranks"});
  const auto ranks = RanksOf(report);
  for (std::size_t node = 0; node < report.nodes.size(); ++node) {
    table.AddRow({report.nodes[node], ListOf(ranks[node])});
  }
  table.Print(out, console.columns);
}

void PrintRankfile(const MapReport& report, std::ostream& out) {
  std::vector<std::uint32_t> used(report.nodes.size(), 0);
  for (std::size_t rank = 0; rank < report.rank_to_node.size(); ++rank) {
    out << fmt::format("rank {}={} slot={}\n", rank, NameOf(report, rank),
                       used[report.rank_to_node[rank]]++);
  }
}

}  // namespace

void PrintMapReport(const MapReport& report, MapOutput output,
                    const Console& console) {
  const bool is_text = output == MapOutput::kReport && !console.json;
  if (report.stopped_early && !is_text) {
    PrintWarnings(console.err,
                  {"the time limit was reached: the mapping is the "
                   "best one so far (--time-limit)"});
  }
  if (console.json) {
    PrintJson(report, console.out);
  } else if (output == MapOutput::kRankfile) {
    PrintRankfile(report, console.out);
  } else if (output == MapOutput::kHostfile) {
    for (std::size_t rank = 0; rank < report.rank_to_node.size(); ++rank) {
      console.out << NameOf(report, rank) << "\n";
    }
  } else {
    PrintText(report, console);
  }
}

}  // namespace coolspan
