// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/run_label.h"

#include <algorithm>

namespace coolspan {
namespace {

// Whether all runs have the same value.
template <typename ValueOf>
bool AllEqual(const std::vector<RunReport>& reports, ValueOf value_of) {
  return std::all_of(
      reports.begin(), reports.end(), [&](const RunReport& report) {
        return value_of(report.run) == value_of(reports.front().run);
      });
}
}  // namespace

bool OneOrdering(const std::vector<RunReport>& reports) {
  return AllEqual(reports, [](const RunSpec& run) { return run.ordering; });
}

bool OneScheduler(const std::vector<RunReport>& reports) {
  return AllEqual(reports,
                  [](const RunSpec& run) { return run.scheduler.spec(); });
}

std::string LabelOf(const RunSpec& run, const std::vector<RunReport>& reports) {
  std::string label = run.policy;
  if (!OneOrdering(reports)) label += "/" + run.ordering->name();
  if (!OneScheduler(reports)) label += "/" + run.scheduler.spec();
  return label;
}

}  // namespace coolspan
