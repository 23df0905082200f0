// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace coolspan {
namespace {

// Nearest-rank quantile, in microseconds. REQUIRES values in ascending order.
double QuantileOf(const std::vector<float>& ascending, double q) {
  if (ascending.empty()) return 0;
  const auto rank = static_cast<std::size_t>(
      std::ceil(q * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

using TimesField = std::vector<float> LoadTimes::*;
struct Kind {
  const char* name;
  TimesField times;
};
constexpr std::array<Kind, 3> kKinds = {{{"allocate", &LoadTimes::allocate_us},
                                         {"commit", &LoadTimes::commit_us},
                                         {"release", &LoadTimes::release_us}}};

double PerSecond(std::uint64_t jobs, double seconds) {
  return seconds > 0 ? static_cast<double>(jobs) / seconds : 0;
}

Json TimesJson(const std::vector<float>& ascending) {
  Json json;
  json["calls"] = ascending.size();
  json["p50_us"] = QuantileOf(ascending, 0.5);
  json["p99_us"] = QuantileOf(ascending, 0.99);
  json["p999_us"] = QuantileOf(ascending, 0.999);
  json["max_us"] = QuantileOf(ascending, 1);
  return json;
}

void PrintReasons(const char* what,
                  const std::map<std::string, std::uint64_t>& counts,
                  std::ostream& out) {
  for (const auto& [reason, count] : counts) {
    out << fmt::format("{} {}: {}\n", count, what, reason);
  }
}

}  // namespace

Json LoadJson(const LoadPlan& plan, LoadResult& result) {
  Json json;
  json["cluster"] = result.cluster;
  json["concurrency"] = plan.concurrency;
  json["connections"] = plan.connections;
  json["free"] = plan.free;
  json["shared"] = plan.shared;
  json["nodes"] = plan.sizes.text();
  json["seed"] = plan.seed;
  json["filled"] = result.filled;
  json["placed"] = result.placed;
  json["not_placed"] = result.not_placed;
  json["refused"] = result.refused();
  json["failed"] = result.failed();
  json["held_twice"] = result.held_twice;
  json["wrong"] = result.wrong;
  json["ledger_differs"] = result.ledger_differs;
  json["left_over"] = result.left_over;
  json["not_removed"] =
      result.not_removed.empty() ? Json() : Json(result.not_removed);
  json["interrupted"] = result.is_interrupted;
  json["out_of_time"] = result.is_out_of_time;
  json["seconds"] = result.seconds;
  json["jobs_per_s"] = PerSecond(result.placed, result.seconds);
  for (const Kind& kind : kKinds) {
    std::vector<float>& times = result.times.*kind.times;
    std::sort(times.begin(), times.end());
    json["calls"][kind.name] = TimesJson(times);
  }
  json["allocate_us_p50"] = json["calls"]["allocate"]["p50_us"];
  json["allocate_us_p99"] = json["calls"]["allocate"]["p99_us"];
  json["allocate_us_max"] = json["calls"]["allocate"]["max_us"];
  json["refused_by"] = Json(result.refused_by);
  json["failed_by"] = Json(result.failed_by);
  return json;
}

void PrintLoad(const LoadPlan& plan, LoadResult& result, std::ostream& out) {
  out << fmt::format(
      "{} jobs in {:.2f} s ({:.0f} per second), {} requests at a time; {} jobs "
      "held before\n",
      result.placed, result.seconds, PerSecond(result.placed, result.seconds),
      plan.concurrency, result.filled);
  out << fmt::format("{:<10}{:>10}{:>11}{:>11}{:>11}{:>11}\n", "call", "calls",
                     "p50 us", "p99 us", "p99.9 us", "max us");
  for (const Kind& kind : kKinds) {
    std::vector<float>& times = result.times.*kind.times;
    std::sort(times.begin(), times.end());
    out << fmt::format("{:<10}{:>10}{:>11.0f}{:>11.0f}{:>11.0f}{:>11.0f}\n",
                       kind.name, times.size(), QuantileOf(times, 0.5),
                       QuantileOf(times, 0.99), QuantileOf(times, 0.999),
                       QuantileOf(times, 1));
  }
  PrintReasons("refused", result.refused_by, out);
  PrintReasons("failed", result.failed_by, out);
  out << fmt::format(
      "jobs not placed: {}\n"
      "answers with a node that other jobs hold: {}\n"
      "answers with a wrong number of nodes: {}\n"
      "jobs whose holding differs from the answers: {}\n"
      "jobs left in the ledger: {}\n",
      result.not_placed, result.held_twice, result.wrong, result.ledger_differs,
      result.left_over);
  if (!result.not_removed.empty()) out << result.not_removed << '\n';
}

bool HasPassed(const LoadResult& result) {
  return result.failed() == 0 && result.held_twice == 0 && result.wrong == 0 &&
         result.ledger_differs == 0 && result.left_over == 0 &&
         result.not_placed == 0 && !result.is_interrupted;
}

}  // namespace coolspan
