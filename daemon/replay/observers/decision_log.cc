// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/decision_log.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "replay/output/csv_cells.h"
#include "replay/output/replaced_file.h"

namespace coolspan {
namespace {

constexpr char kHeader[] =
    "policy,job,submit_s,start_s,end_s,nodes,pairwise_"
    "total,linear_span,"
    "ring_span,hostlist";
constexpr char kRunColumns[] = ",ordering,scheduler,seed";
constexpr char kRoomColumns[] = ",peak_inlet_c,it_w,cooling_w";

}  // namespace

class DecisionLog::LoggedRun final : public RunObserver {
 public:
  LoggedRun(DecisionLog& log, std::size_t index, const RunSpec& run)
      : log_(log),
        index_(index),
        policy_(CsvText(run.policy)),
        last_cells_(fmt::format(",{},{},{}\n", CsvText(run.ordering->name()),
                                CsvText(run.scheduler.spec()), run.seed)) {}

  absl::Status Started(const JobStart& start) override {
    return log_.Add(index_, policy_, last_cells_, start);
  }
  void Report(RunReport& /*report*/) const override {}

 private:
  DecisionLog& log_;
  const std::size_t index_;
  const std::string policy_;
  const std::string last_cells_;
};

absl::Status DecisionLog::NotWritten() const {
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written: {}", path_,
                  std::generic_category().message(errno)));
}

absl::StatusOr<std::unique_ptr<DecisionLog>> DecisionLog::Create(
    const std::string& path, std::size_t runs, const Machine& machine) {
  std::unique_ptr<DecisionLog> log(new DecisionLog(path, machine));
  log->lines_.resize(runs);
  log->parts_.emplace_back(OpenOutput(path, "we"));
  while (log->parts_.size() < runs && log->parts_.back() != nullptr) {
    log->parts_.emplace_back(std::tmpfile());
  }
  if (log->parts_.back() == nullptr) return log->NotWritten();
  const std::string header =
      fmt::format("{}{}{}\n", kHeader,
                  machine.room() != nullptr ? kRoomColumns : "", kRunColumns);
  if (std::fputs(header.c_str(), log->parts_.front().get()) < 0) {
    return log->NotWritten();
  }
  return log;
}

absl::Status DecisionLog::Add(std::size_t run, const std::string& policy,
                              const std::string& last_cells,
                              const JobStart& start) {
  const auto& [job, placement, measured, counted] = start;
  std::string& line = lines_[run];
  line.clear();
  const auto end = std::back_inserter(line);
  if (job.recorded != nullptr) {
    fmt::format_to(end, "{},{},", policy, job.recorded->id);
  } else {
    fmt::format_to(end, "{},{},", policy, job.number);
  }
  AppendCsvSeconds(job.submit_ms, line);
  line += ',';
  AppendCsvSeconds(placement.start_ms(), line);
  line += ',';
  AppendCsvSeconds(placement.start_ms() + measured.run.run_ms, line);
  line += ',';
  fmt::format_to(end, "{},{},{},{},", job.nodes,
                 measured.locality.pairwise_total,
                 measured.locality.linear_span, measured.locality.ring_span);
  line += CsvText(machine_.FormatNodes(placement.nodes));
  if (measured.cooling.has_value()) {
    line += ',';
    AppendCsvNumber(measured.cooling->peak_inlet_c, line);
    line += ',';
    AppendCsvNumber(measured.cooling->it_w, line);
    line += ',';
    AppendCsvNumber(measured.cooling->cooling_w, line);
  }
  line += last_cells;
  if (std::fwrite(line.data(), 1, line.size(), parts_[run].get()) <
      line.size()) {
    return NotWritten();
  }
  return absl::OkStatus();
}

std::unique_ptr<RunObserver> DecisionLog::Observer(std::size_t index,
                                                   const RunSpec& run) {
  return std::make_unique<LoggedRun>(*this, index, run);
}

absl::Status DecisionLog::Append(std::FILE* part) {
  std::array<char, 1U << 16U> bytes;
  std::rewind(part);
  for (;;) {
    const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), part);
    if (got == 0) break;
    if (std::fwrite(bytes.data(), 1, got, parts_.front().get()) < got) {
      return NotWritten();
    }
  }
  return std::ferror(part) != 0 ? NotWritten() : absl::OkStatus();
}

absl::Status DecisionLog::Finish() {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    if (absl::Status status = Append(parts_[i].get()); !status.ok()) {
      return status;
    }
  }
  if (std::fclose(parts_.front().release()) != 0) return NotWritten();
  return absl::OkStatus();
}

}  // namespace coolspan
