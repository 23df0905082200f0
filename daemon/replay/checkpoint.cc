// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/checkpoint.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "core/stable_hash.h"

namespace coolspan {
namespace {

using RunJson = nlohmann::json;

constexpr char kIdentity[] = "coolspan_checkpoint";

// An ordering from a file can change under its name.
std::string KeyOfRun(const RunSpec& run) {
  StableHash ranks;
  for (const NodeId node : run.ordering->nodes()) ranks.Add(node);
  return fmt::format("{}\n{} {:x}\n{}\n{}", run.policy, run.ordering->name(),
                     ranks.value(), run.scheduler.spec(), run.seed);
}

RunJson ToJson(const std::vector<NamedValue>& metrics) {
  RunJson values = RunJson::array();
  for (const auto& [name, value] : metrics) {
    const bool known = value.has_value() && std::isfinite(*value);
    values.push_back({name, known ? RunJson(*value) : RunJson(nullptr)});
  }
  return values;
}

std::vector<NamedValue> MetricsFrom(const RunJson& json) {
  std::vector<NamedValue> metrics;
  for (const RunJson& value : json) {
    metrics.push_back({value.at(0).get<std::string>(),
                       value.at(1).is_null()
                           ? std::nullopt
                           : std::optional(value.at(1).get<double>())});
  }
  return metrics;
}

RunJson ToJson(const RunReport& report) {
  RunJson json = {{"run", KeyOfRun(report.run)},
                  {"jobs", report.jobs},
                  {"most_beyond_depth", report.most_beyond_depth},
                  {"wall_s", report.wall_s},
                  {"peak_rss_mb", report.peak_rss_mb},
                  {"metrics", ToJson(report.metrics)},
                  {"links", RunJson::array()},
                  {"previews", RunJson::array()}};
  for (const LinkReport& link : report.links) {
    json["links"].push_back({link.from, link.to, link.sent_gb, link.use});
  }
  for (const PreviewReport& preview : report.previews) {
    json["previews"].push_back({{"policy", preview.policy},
                                {"jobs", preview.jobs},
                                {"metrics", ToJson(preview.metrics)}});
  }
  return json;
}

RunReport ReportFrom(const RunJson& json) {
  RunReport report;
  report.jobs = json.at("jobs").get<std::uint64_t>();
  report.most_beyond_depth = json.at("most_beyond_depth").get<std::uint64_t>();
  report.wall_s = json.at("wall_s").get<double>();
  report.peak_rss_mb = json.at("peak_rss_mb").get<double>();
  report.metrics = MetricsFrom(json.at("metrics"));
  for (const RunJson& link : json.at("links")) {
    report.links.push_back(
        {link.at(0).get<VertexId>(), link.at(1).get<VertexId>(),
         link.at(2).get<double>(), link.at(3).get<double>()});
  }
  for (const RunJson& preview : json.at("previews")) {
    report.previews.push_back(
        {.policy = preview.at("policy").get<std::string>(),
         .jobs = preview.at("jobs").get<std::uint64_t>(),
         .metrics = MetricsFrom(preview.at("metrics"))});
  }
  return report;
}

}  // namespace

absl::Status Checkpoint::NotWritten() const {
  return absl::InvalidArgumentError(
      fmt::format("{}: cannot be written: {}", path_,
                  std::generic_category().message(errno)));
}

absl::StatusOr<std::unique_ptr<Checkpoint>> Checkpoint::Open(
    const std::string& path, std::string_view identity) {
  std::error_code error;
  if (std::filesystem::exists(path, error) &&
      !std::filesystem::is_regular_file(path, error)) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: not a regular file (expected one, or a name for a new one)",
        path));
  }
  std::unique_ptr<Checkpoint> checkpoint(new Checkpoint(path));
  absl::Status read = checkpoint->Read(identity);
  if (!read.ok()) return read;
  return checkpoint;
}

// Lines that are complete are kept; the file stays open to append to them, and
// locked: two replays would each drop the last line of the other.
absl::Status Checkpoint::Read(std::string_view identity) {
  file_.reset(std::fopen(path_.c_str(), "ae"));
  if (file_ == nullptr) return NotWritten();
  if (flock(fileno(file_.get()), LOCK_EX | LOCK_NB) != 0) {
    return absl::InvalidArgumentError(
        fmt::format("{}: in use by another replay", path_));
  }
  std::ifstream in(path_, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)),
                         std::istreambuf_iterator<char>());
  std::size_t begin = 0;
  for (std::size_t line = 1, end = text.find('\n'); end != std::string::npos;
       ++line, begin = end + 1, end = text.find('\n', begin)) {
    const std::string_view one(text.data() + begin, end - begin);
    const RunJson json = RunJson::parse(one.begin(), one.end(), nullptr, false);
    const auto wrong = [&](std::string_view what) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", path_, line, what));
    };
    if (json.is_discarded() || !json.is_object() ||
        json.contains(kIdentity) != (line == 1)) {
      return wrong("not a line of a checkpoint of coolspan replay");
    }
    if (line > 1) {
      try {
        reports_[json.at("run").get<std::string>()] = ReportFrom(json);
      } catch (const RunJson::exception&) {
        return wrong("not a line of a checkpoint of coolspan replay");
      }
    } else if (json[kIdentity] != identity) {
      return wrong(fmt::format(
          "the checkpoint of another replay (expected {}; found {})", identity,
          json[kIdentity].is_string()
              ? absl::CHexEscape(json[kIdentity].get<std::string>())
              : json[kIdentity].dump()));
    }
  }
  const bool cut_off = text.starts_with(R"({"coolspan_checkpoint")");
  if (begin == 0 && !text.empty() && !cut_off) {
    return absl::InvalidArgumentError(fmt::format(
        "{}:1: not a checkpoint of coolspan replay (remove the file to start "
        "anew)",
        path_));
  }
  if (ftruncate(fileno(file_.get()), static_cast<off_t>(begin)) != 0) {
    return NotWritten();
  }
  if (begin > 0) return absl::OkStatus();
  return Write(RunJson{{kIdentity, identity}}.dump());
}

absl::Status Checkpoint::Write(const std::string& line) {
  if (std::fputs((line + "\n").c_str(), file_.get()) < 0 ||
      std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0) {
    return NotWritten();
  }
  return absl::OkStatus();
}

std::optional<RunReport> Checkpoint::Find(const RunSpec& run) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = reports_.find(KeyOfRun(run));
  if (found == reports_.end()) return std::nullopt;
  RunReport report = found->second;
  report.run = run;
  return report;
}

absl::Status Checkpoint::Add(const RunReport& report) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Write(ToJson(report).dump());
}

}  // namespace coolspan
