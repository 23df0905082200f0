// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/seed_summary.h"

#include <gsl/gsl_cdf.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace coolspan {
namespace {

SeedMean MeanOf(const std::vector<std::optional<double>>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const std::optional<double>& value : values) {
    if (!value.has_value()) return {};
    sum += *value;
  }
  const double mean = sum / count;
  if (values.size() < 2) return {.mean = mean, .ci95 = std::nullopt};
  double squares = 0;
  for (const std::optional<double>& value : values) {
    squares += (*value - mean) * (*value - mean);
  }
  constexpr double kUpper = 0.975;
  const double error = std::sqrt(squares / (count - 1) / count);
  return {.mean = mean, .ci95 = error * gsl_cdf_tdist_Pinv(kUpper, count - 1)};
}

bool SameButForSeed(const RunSpec& a, const RunSpec& b) {
  return a.policy == b.policy && a.ordering == b.ordering &&
         a.scheduler.spec() == b.scheduler.spec();
}

bool SameSeeds(const SeedGroup& a, const SeedGroup& b) {
  return std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
                    [](const RunReport* one, const RunReport* other) {
                      return one->run.seed == other->run.seed;
                    });
}

// value_of(i, metric): of the i-th run of the group.
template <typename ValueOf>
std::vector<SeedMean> Means(const SeedGroup& group, ValueOf value_of) {
  std::vector<SeedMean> means;
  std::vector<std::optional<double>> values(group.runs.size());
  for (std::size_t m = 0; m < group.runs.front()->metrics.size(); ++m) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i, m);
    means.push_back(MeanOf(values));
  }
  return means;
}

}  // namespace

std::vector<SeedGroup> GroupBySeed(const std::vector<RunReport>& reports) {
  std::vector<SeedGroup> groups;
  for (const RunReport& report : reports) {
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const SeedGroup& group) {
          return SameButForSeed(group.runs.front()->run, report.run);
        });
    SeedGroup& group = known == groups.end() ? groups.emplace_back() : *known;
    group.runs.push_back(&report);
  }
  for (SeedGroup& group : groups) {
    group.means = Means(group, [&](std::size_t i, std::size_t metric) {
      return group.runs[i]->metrics[metric].value;
    });
    const SeedGroup& first = groups.front();
    if (&group == &first || !SameSeeds(group, first)) continue;
    group.differences = Means(
        group, [&](std::size_t i, std::size_t metric) -> std::optional<double> {
          const std::optional<double> own =
              group.runs[i]->metrics[metric].value;
          const std::optional<double> reference =
              first.runs[i]->metrics[metric].value;
          if (!own.has_value() || !reference.has_value()) return std::nullopt;
          return *own - *reference;
        });
  }
  return groups;
}

}  // namespace coolspan
