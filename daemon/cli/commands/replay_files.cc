// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_files.h"

#include <utility>

#include "cli/commands/replay_json.h"
#include "replay/output/series_csv.h"
#include "replay/output/summary_csv.h"
#include "report/replay_page.h"

namespace coolspan {
namespace {

absl::StatusOr<std::unique_ptr<ReplacedFile>> CreateIfNamed(
    const std::string& path) {
  if (path.empty()) return nullptr;
  return ReplacedFile::Create(path);
}

}  // namespace

absl::StatusOr<ReplayFiles> ReplayFiles::Create(const Paths& paths) {
  ReplayFiles files;
  auto series = CreateIfNamed(paths.series);
  if (!series.ok()) return series.status();
  auto report = CreateIfNamed(paths.report);
  if (!report.ok()) return report.status();
  auto summary = CreateIfNamed(paths.summary);
  if (!summary.ok()) return summary.status();
  files.summary_ = *std::move(summary);
  files.series_ = *std::move(series);
  files.report_ = *std::move(report);
  return files;
}

void ReplayFiles::Request(ReplaySetup& setup) const {
  if (report_ != nullptr) {
    setup.recording = RecordingForPage(setup);
  } else if (series_ != nullptr) {
    setup.recording = {.series = true, .shape = true};
  }
}

absl::Status ReplayFiles::Write(const ReplaySetup& setup,
                                const std::string& trace,
                                const std::string& command_line,
                                const TraceCounts& counts,
                                const std::vector<RunReport>& reports) {
  if (series_ != nullptr) {
    absl::Status written = WriteSeries(*setup.machine, reports, *series_);
    if (!written.ok()) return written;
  }
  if (summary_ != nullptr) {
    absl::Status written = summary_->Write(SummaryCsv(setup, reports));
    if (written.ok()) written = summary_->Finish();
    if (!written.ok()) return written;
  }
  if (report_ == nullptr) return absl::OkStatus();
  const Json json = ReplayJson(setup, counts, reports, RealTimes::kLeftOut);
  const std::string page =
      ReplayPage(setup, reports,
                 {.version = COOLSPAN_VERSION,
                  .command_line = command_line,
                  .trace = trace,
                  .replay_json = json.dump(-1, ' ', false,
                                           Json::error_handler_t::replace)});
  if (absl::Status written = report_->Write(page); !written.ok()) {
    return written;
  }
  return report_->Finish();
}

}  // namespace coolspan
