// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/decision_log.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <system_error>

namespace coolspan {
namespace {

constexpr char kHeader[] =
    "policy,job,submit_s,start_s,end_s,nodes,pairwise_total,linear_span,"
    "ring_span,hostlist";
constexpr char kRoomColumns[] = ",peak_inlet_c,it_w,cooling_w";

void AppendSeconds(TimeMs time_ms, std::string& line) {
  if (time_ms % kMsPerSecond == 0) {
    fmt::format_to(std::back_inserter(line), "{},", time_ms / kMsPerSecond);
  } else {
    fmt::format_to(std::back_inserter(line), "{}{}.{:03},",
                   time_ms < 0 ? "-" : "", std::abs(time_ms / kMsPerSecond),
                   std::abs(time_ms % kMsPerSecond));
  }
}

// Appends a column; empty where JSON has null.
void AppendFigure(double figure, std::string& line) {
  line += ',';
  if (std::isfinite(figure)) {
    fmt::format_to(std::back_inserter(line), "{}", figure);
  }
}

}  // namespace

absl::Status DecisionLog::NotWritten() const {
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written: {}", path_,
                  std::generic_category().message(errno)));
}

absl::StatusOr<std::unique_ptr<DecisionLog>> DecisionLog::Create(
    const std::string& path, std::size_t runs, const Machine& machine) {
  std::unique_ptr<DecisionLog> log(new DecisionLog(path, machine));
  log->lines_.resize(runs);
  log->parts_.emplace_back(std::fopen(path.c_str(), "we"));
  while (log->parts_.size() < runs && log->parts_.back() != nullptr) {
    log->parts_.emplace_back(std::tmpfile());
  }
  if (log->parts_.back() == nullptr) return log->NotWritten();
  const std::string header = fmt::format(
      "{}{}\n", kHeader, machine.room() != nullptr ? kRoomColumns : "");
  if (std::fputs(header.c_str(), log->parts_.front().get()) < 0) {
    return log->NotWritten();
  }
  return log;
}

absl::Status DecisionLog::Add(std::size_t run, const std::string& policy,
                              const WorkloadJob& job,
                              const Placement& placement,
                              const MeasuredStart& start) {
  std::string& line = lines_[run];
  line.clear();
  const auto end = std::back_inserter(line);
  fmt::format_to(end, "{},{},", policy, job.number);
  AppendSeconds(job.submit_ms, line);
  AppendSeconds(placement.start_ms(), line);
  AppendSeconds(placement.start_ms() + start.run.run_ms, line);
  fmt::format_to(end, "{},{},{},{},", job.nodes, start.locality.pairwise_total,
                 start.locality.linear_span, start.locality.ring_span);
  const std::string hostlist = machine_.FormatNodes(placement.nodes);
  const char* quote = hostlist.find(',') == std::string::npos ? "" : "\"";
  fmt::format_to(end, "{0}{1}{0}", quote, hostlist);
  if (start.cooling.has_value()) {
    AppendFigure(start.cooling->peak_inlet_c, line);
    AppendFigure(start.cooling->it_w, line);
    AppendFigure(start.cooling->cooling_w, line);
  }
  line += '\n';
  if (std::fwrite(line.data(), 1, line.size(), parts_[run].get()) <
      line.size()) {
    return NotWritten();
  }
  return absl::OkStatus();
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
