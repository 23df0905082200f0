// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/decision_log.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <deque>
#include <iterator>
#include <optional>
#include <system_error>

#include "absl/container/flat_hash_map.h"
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
  LoggedRun(DecisionLog& log, std::size_t index, const RunSpec& run,
            bool runs_change)
      : log_(log),
        index_(index),
        runs_change_(runs_change),
        policy_(CsvText(run.policy)),
        last_cells_(fmt::format(",{},{},{}\n", CsvText(run.ordering->name()),
                                CsvText(run.scheduler.spec()), run.seed)) {}

  absl::Status Started(const JobStart& start) override {
    const JobIndex job = start.placement.job;
    if (runs_change_) {
      log_.Format(policy_, last_cells_, start, pending_.emplace_back().line);
      place_of_[job] = written_ + pending_.size() - 1;
      return status_;
    }
    log_.Format(policy_, last_cells_, start, line_);
    return log_.Write(index_, line_,
                      start.placement.start_ms() + start.measured.run.run_ms);
  }

  // Lines are in the order of the starts.
  void Ended(const JobEnd& end) override {
    const auto place = place_of_.find(end.job);
    if (place == place_of_.end()) return;
    pending_[place->second - written_].end_ms = end.end_ms;
    place_of_.erase(place);
    while (!pending_.empty() && pending_.front().end_ms.has_value()) {
      absl::Status written =
          log_.Write(index_, pending_.front().line, *pending_.front().end_ms);
      status_.Update(written);
      pending_.pop_front();
      ++written_;
    }
  }
  void Report(RunReport& /*report*/) const override {}

 private:
  DecisionLog& log_;
  const std::size_t index_;
  const bool runs_change_;
  const std::string policy_;
  const std::string last_cells_;
  Line line_;  // kept to reuse its memory
  // With changing runs: the lines that are not written yet, how many are, the
  // place of the line of each running job, and the first error.
  struct Pending {
    Line line;
    std::optional<TimeMs> end_ms = std::nullopt;
  };
  std::deque<Pending> pending_;
  std::size_t written_ = 0;
  absl::flat_hash_map<JobIndex, std::size_t> place_of_;
  absl::Status status_;
};

absl::Status DecisionLog::NotWritten() const {
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written: {}", path_,
                  std::generic_category().message(errno)));
}

absl::StatusOr<std::unique_ptr<DecisionLog>> DecisionLog::Create(
    const std::string& path, std::size_t runs, const Machine& machine) {
  std::unique_ptr<DecisionLog> log(new DecisionLog(path, machine));
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

void DecisionLog::Format(const std::string& policy,
                         const std::string& last_cells, const JobStart& start,
                         Line& to) const {
  const auto& [job, placement, measured, counted] = start;
  std::string& line = to.text;
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
  to.end_at = line.size();
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
}

absl::Status DecisionLog::Write(std::size_t run, Line& line, TimeMs end_ms) {
  std::string end_s;
  AppendCsvSeconds(end_ms, end_s);
  std::string& text = line.text;
  text.insert(line.end_at, end_s);
  if (std::fwrite(text.data(), 1, text.size(), parts_[run].get()) <
      text.size()) {
    return NotWritten();
  }
  return absl::OkStatus();
}

std::unique_ptr<RunObserver> DecisionLog::Observer(std::size_t index,
                                                   const RunSpec& run,
                                                   bool runs_change) {
  return std::make_unique<LoggedRun>(*this, index, run, runs_change);
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
  const bool failed = std::ferror(parts_.front().get()) != 0;
  if (std::fclose(parts_.front().release()) != 0 || failed) return NotWritten();
  return absl::OkStatus();
}

}  // namespace coolspan
