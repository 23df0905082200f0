// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/sacct_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

using Use = TraceJob::Use;

// In the order of SacctReader::Column.
constexpr std::array<std::string_view, 17> kNames = {
    "JobID",  "JobIDRaw",   "State",      "Submit",    "Start",
    "End",    "Elapsed",    "ElapsedRaw", "Timelimit", "TimelimitRaw",
    "NNodes", "AllocNodes", "NodeList",   "User",      "UID",
    "Group",  "GID"};

// Users choose their values, so that they may contain the separator.
constexpr std::string_view kFreeTexts[] = {
    "JobName", "Comment", "AdminComment", "SystemComment",
    "Extra",   "WorkDir", "SubmitLine"};

constexpr std::string_view kTimeForms =
    "2026-11-23T10:00:00 or seconds since 1970";

// A value of a field, printable and shortened.
std::string ShownValue(std::string_view value) {
  constexpr std::size_t kShownBytes = 40;
  std::string shown;
  for (const char c : value.substr(0, kShownBytes)) {
    shown += absl::ascii_isprint(static_cast<unsigned char>(c)) ? c : '?';
  }
  return fmt::format("'{}{}'", shown, value.size() > kShownBytes ? "..." : "");
}

bool IsRunningState(std::string_view state) {
  state = state.substr(0, state.find(' '));
  return state == "RUNNING" || state == "SUSPENDED" || state == "COMPLETING" ||
         state == "CONFIGURING" || state == "STOPPED";
}

}  // namespace

absl::StatusOr<SacctReader> SacctReader::AfterHeader(LineReader lines) {
  SacctReader reader(std::move(lines));
  if (absl::Status read = reader.ReadHeader(); !read.ok()) return read;
  return reader;
}

absl::Status SacctReader::ReadHeader() {
  static_assert(kNames.size() == kColumns);
  std::string_view line = Trimmed(lines_.line());
  has_trailing_bar_ = line.ends_with('|');
  if (has_trailing_bar_) line.remove_suffix(1);
  bool several_free_texts = false;
  for (columns_ = 0;; ++columns_) {
    const std::string_view name = Trimmed(line.substr(0, line.find('|')));
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (!EqualsInAnyCase(name, kNames[column])) continue;
      if (at_[column] != kNone) {
        return absl::InvalidArgumentError(
            lines_.At(fmt::format("column {} appears more than once "
                                  "(expected once)",
                                  kNames[column])));
      }
      at_[column] = columns_;
    }
    for (const std::string_view free_text : kFreeTexts) {
      if (!EqualsInAnyCase(name, free_text)) continue;
      several_free_texts = several_free_texts || free_text_ != kNone;
      free_text_ = columns_;
    }
    if (line.find('|') == std::string_view::npos) break;
    line.remove_prefix(line.find('|') + 1);
  }
  ++columns_;
  if (several_free_texts) free_text_ = kNone;
  return CheckColumns();
}

absl::Status SacctReader::CheckColumns() const {
  if (std::all_of(at_.begin(), at_.end(),
                  [](std::size_t at) { return at == kNone; })) {
    return absl::InvalidArgumentError(
        lines_.At("no header line (expected the names of columns, such as "
                  "JobID|Submit|Start|End|NNodes; run sacct without "
                  "--noheader)"));
  }
  std::string_view missing;
  if (!Has(kJobId) && !Has(kJobIdRaw)) missing = "JobID";
  if (!Has(kSubmit)) missing = "Submit";
  if (!Has(kStart)) missing = "Start";
  if (!Has(kEnd) && !Has(kElapsed) && !Has(kElapsedRaw)) missing = "End";
  if (!Has(kNNodes) && !Has(kAllocNodes)) missing = "NNodes";
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(lines_.At(
      fmt::format("no column {} (expected JobID, Submit, Start, End or "
                  "Elapsed, NNodes or AllocNodes; add it to sacct --format)",
                  missing)));
}

absl::Status SacctReader::Split(std::string_view line) {
  fields_.clear();
  for (;;) {
    const std::size_t bar = line.find('|');
    fields_.push_back(line.substr(0, bar));
    if (bar == std::string_view::npos) break;
    line.remove_prefix(bar + 1);
  }
  if (has_trailing_bar_ && fields_.back().empty()) fields_.pop_back();
  if (fields_.size() > columns_ && free_text_ != kNone) {
    // The value of the free text has the surplus separators.
    const auto surplus = static_cast<std::ptrdiff_t>(fields_.size() - columns_);
    const auto first =
        fields_.begin() + static_cast<std::ptrdiff_t>(free_text_);
    fields_.erase(first, first + surplus);
  }
  if (fields_.size() == columns_) return absl::OkStatus();
  return absl::InvalidArgumentError(lines_.At(fmt::format(
      "{} fields (expected {} as in the header{})", fields_.size(), columns_,
      fields_.size() < columns_
          ? "; the line is not complete"
          : "; a value contains '|': leave columns such as JobName out")));
}

absl::StatusOr<bool> SacctReader::Next() {
  for (;;) {
    absl::StatusOr<bool> more = lines_.Next();
    if (!more.ok() || !*more) return more;
    std::string_view line = lines_.line();
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (Trimmed(line).empty()) continue;
    if (absl::Status split = Split(line); !split.ok()) return split;
    if (absl::Status parsed = Parse(); !parsed.ok()) return parsed;
    return true;
  }
}

absl::Status SacctReader::Invalid(Column column,
                                  std::string_view expected) const {
  return absl::InvalidArgumentError(
      lines_.At(fmt::format("{} {} is not valid (expected {})", kNames[column],
                            ShownValue(Field(column)), expected)));
}

absl::StatusOr<SacctJobId> SacctReader::ReadId() const {
  const Column column = Has(kJobId) ? kJobId : kJobIdRaw;
  const std::optional<SacctJobId> id = ParseSacctJobId(Field(column));
  if (id.has_value()) return *id;
  return Invalid(column, "a job such as 12, 12_3 or 12+0");
}

TraceJob::Use SacctReader::UseOf(const SacctJobId& id) const {
  using Kind = SacctJobId::Kind;
  if (id.kind == Kind::kStep) return Use::kStep;
  if (id.kind == Kind::kWaiting || IsSacctTimeUnset(Field(kStart)) ||
      Field(kNodeList) == "None assigned") {
    return Use::kNotStarted;
  }
  const bool has_ended = Has(kEnd) ? !IsSacctTimeUnset(Field(kEnd))
                                   : !IsRunningState(Trimmed(Field(kState)));
  return has_ended ? Use::kJob : Use::kUnfinished;
}

absl::Status SacctReader::Parse() {
  const absl::StatusOr<SacctJobId> id = ReadId();
  if (!id.ok()) return id.status();
  job_ = {};
  job_.number = id->job;
  job_.use = UseOf(*id);
  if (job_.use == Use::kStep) return absl::OkStatus();
  // Jobs that are skipped count as out of submit order as well.
  const absl::StatusOr<std::int64_t> submit_s = Time(kSubmit);
  if (!submit_s.ok()) return submit_s.status();
  job_.submit_s = static_cast<double>(*submit_s);
  if (job_.use != Use::kJob) return absl::OkStatus();
  job_.id = Field(Has(kJobId) ? kJobId : kJobIdRaw);
  if (Has(kJobIdRaw)) {
    const std::optional<std::int64_t> raw = ParseSacctNumber(Field(kJobIdRaw));
    if (!raw.has_value()) return Invalid(kJobIdRaw, "a number");
    job_.number = static_cast<double>(*raw);
  }
  if (absl::Status read = ReadTimes(); !read.ok()) return read;
  if (absl::Status read = ReadEstimate(); !read.ok()) return read;
  if (absl::Status read = ReadNodes(); !read.ok()) return read;
  job_.user = Numbered(kUid, kUser, users_);
  job_.group = Numbered(kGid, kGroup, groups_);
  const RunKey key = {id->job, id->member,
                      static_cast<std::int64_t>(*job_.start_s),
                      std::hash<std::string_view>{}(lines_.line())};
  if (!runs_.insert(key).second) job_.use = Use::kRepeated;
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> SacctReader::Time(Column column) const {
  const std::optional<std::int64_t> time_s = ParseSacctTimeS(Field(column));
  if (time_s.has_value()) return *time_s;
  return Invalid(column, kTimeForms);
}

absl::Status SacctReader::ReadTimes() {
  const absl::StatusOr<std::int64_t> start_s = Time(kStart);
  if (!start_s.ok()) return start_s.status();
  job_.start_s = static_cast<double>(*start_s);
  // Slurm sets the submit time anew when a job is requeued.
  job_.submit_s = std::min(job_.submit_s, *job_.start_s);
  return ReadRun(*start_s);
}

absl::Status SacctReader::ReadRun(std::int64_t start_s) {
  if (Has(kEnd)) {
    const absl::StatusOr<std::int64_t> end_s = Time(kEnd);
    if (!end_s.ok()) return end_s.status();
    if (*end_s < start_s) {
      return Invalid(kEnd, fmt::format("at least its Start, {}",
                                       ShownValue(Field(kStart))));
    }
    job_.run_s = static_cast<double>(*end_s - start_s);
    return absl::OkStatus();
  }
  const Column column = Has(kElapsedRaw) ? kElapsedRaw : kElapsed;
  const std::optional<std::int64_t> run_s = ParseSacctDurationS(Field(column));
  if (!run_s.has_value()) {
    return Invalid(column, "[DD-]HH:MM:SS, MM:SS or seconds");
  }
  job_.run_s = static_cast<double>(*run_s);
  return absl::OkStatus();
}

absl::Status SacctReader::ReadEstimate() {
  job_.estimate_s = job_.run_s;
  const Column column = Has(kTimelimitRaw) ? kTimelimitRaw : kTimelimit;
  const std::string_view limit = Field(column);
  if (limit.empty() || EqualsInAnyCase(limit, "UNLIMITED") ||
      EqualsInAnyCase(limit, "Partition_Limit")) {
    return absl::OkStatus();
  }
  constexpr std::int64_t kSecondsPerMinute = 60;
  const bool is_raw = column == kTimelimitRaw;
  const std::optional<std::int64_t> read =
      is_raw ? ParseSacctNumber(limit) : ParseSacctDurationS(limit);
  if (!read.has_value()) {
    return Invalid(column, is_raw ? "minutes, UNLIMITED or Partition_Limit"
                                  : "[DD-]HH:MM:SS, UNLIMITED or "
                                    "Partition_Limit");
  }
  const std::int64_t limit_s = is_raw ? *read * kSecondsPerMinute : *read;
  if (limit_s > 0) {
    job_.estimate_s = static_cast<double>(limit_s);
    job_.has_estimate = true;
  }
  return absl::OkStatus();
}

absl::Status SacctReader::ReadNodes() {
  const Column column = Has(kAllocNodes) ? kAllocNodes : kNNodes;
  const std::optional<std::int64_t> nodes = ParseSacctCount(Field(column));
  if (!nodes.has_value()) return Invalid(column, "a number of nodes");
  job_.size = static_cast<double>(*nodes);
  job_.nodes = Field(kNodeList);
  return absl::OkStatus();
}

double SacctReader::Numbered(Column id, Column name,
                             absl::flat_hash_map<std::string, int>& names) {
  const std::optional<std::int64_t> number = ParseSacctNumber(Field(id));
  if (number.has_value()) return static_cast<double>(*number);
  const std::string text(Field(name));
  if (text.empty()) return -1;
  const auto found = names.find(text);
  if (found != names.end()) return found->second;
  const int next = static_cast<int>(names.size());
  names.emplace(text, next);
  return next;
}

}  // namespace coolspan
