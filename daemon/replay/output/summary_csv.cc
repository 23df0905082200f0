// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/output/summary_csv.h"

#include <fmt/format.h>

#include <limits>

#include "replay/output/csv_cells.h"

namespace coolspan {
namespace {

void AppendRun(const std::string& situation, const std::string& policy,
               const RunReport& report, std::uint64_t jobs,
               const std::vector<NamedValue>& metrics,
               const std::vector<NamedValue>& columns, std::string& csv) {
  const RunSpec& run = report.run;
  csv += fmt::format("{},{},{},{},{},{}", CsvText(situation), CsvText(policy),
                     CsvText(run.ordering->name()),
                     CsvText(run.scheduler.spec()), run.seed, jobs);
  for (const NamedValue& column : columns) {
    csv += ',';
    AppendCsvNumber(ValueOf(metrics, column.name)
                        .value_or(std::numeric_limits<double>::quiet_NaN()),
                    csv);
  }
  csv += '\n';
}

}  // namespace

std::string SummaryCsv(const ReplaySetup& setup,
                       const std::vector<RunReport>& reports) {
  std::string csv = "situation,policy,ordering,scheduler,seed,jobs";
  // A policy that has placed no job has no metrics of allocations.
  const std::vector<NamedValue>* columns = &reports.front().metrics;
  const auto take = [&columns](const std::vector<NamedValue>& metrics) {
    if (metrics.size() > columns->size()) columns = &metrics;
  };
  for (const RunReport& report : reports) take(report.metrics);
  for (const NamedValue& column : *columns) csv += "," + column.name;
  csv += '\n';
  for (const RunReport& report : reports) {
    if (setup.previewed.empty()) {
      AppendRun("", report.run.policy, report, report.jobs, report.metrics,
                *columns, csv);
    }
    for (const PreviewReport& preview : report.previews) {
      AppendRun(report.run.policy, preview.policy, report, preview.jobs,
                preview.metrics, *columns, csv);
    }
  }
  return csv;
}

}  // namespace coolspan
