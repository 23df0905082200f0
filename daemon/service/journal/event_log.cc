// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/event_log.h"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/control_characters.h"

namespace coolspan {
namespace {

constexpr const char* kJsonLine =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
constexpr const char* kTextLine = "%Y-%m-%dT%H:%M:%S.%eZ level=%l %v";

std::string Dump(const nlohmann::ordered_json& value) {
  return EscapeUpperControls(value.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// The fields without the braces of the object: kJsonLine has them.
std::string JsonFields(std::string_view event, const EventLog::Fields& fields) {
  const std::string object = Dump(fields);
  std::string text = fmt::format("\"event\":{}", Dump(std::string(event)));
  if (!fields.empty()) text += ',' + object.substr(1, object.size() - 2);
  return text;
}

// Text is quoted as in JSON if necessary.
std::string TextValue(const nlohmann::ordered_json& value) {
  if (!value.is_string()) return Dump(value);
  const auto& text = value.get_ref<const std::string&>();
  const bool plain =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c > ' ' && c < '\x7f' && c != '"' && c != '=' && c != '\\';
      });
  return plain ? text : Dump(value);
}

std::string TextFields(std::string_view event, const EventLog::Fields& fields) {
  std::string text = fmt::format("event={}", event);
  for (const auto& [name, value] : fields.items()) {
    text += fmt::format(" {}={}", name, TextValue(value));
  }
  return text;
}

EventLog::Level LevelOf(const std::string& name) {
  return spdlog::level::from_str(name);
}

}  // namespace

EventLog::EventLog(DaemonFile::Log options)
    : options_(std::move(options)), level_(LevelOf(options_.level)) {}

absl::StatusOr<std::unique_ptr<EventLog>> EventLog::Open(
    const DaemonFile::Log& options) {
  std::unique_ptr<EventLog> log(new EventLog(options));
  if (absl::Status status = log->Reopen(); !status.ok()) return status;
  return log;
}

absl::Status EventLog::Reopen() {
  try {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (options_.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options_.file);
    }
    auto fresh = std::make_shared<spdlog::logger>("coolspand", std::move(sink));
    fresh->set_pattern(options_.format == "json" ? kJsonLine : kTextLine,
                       spdlog::pattern_time_type::utc);
    fresh->set_level(level_);
    fresh->flush_on(spdlog::level::warn);
    const std::lock_guard lock(mutex_);
    logger_ = std::move(fresh);
    return absl::OkStatus();
  } catch (const spdlog::spdlog_ex& error) {
    return absl::UnavailableError(
        fmt::format("log.file: {} (expected a writable file)", error.what()));
  }
}

std::shared_ptr<spdlog::logger> EventLog::logger() const {
  const std::lock_guard lock(mutex_);
  return logger_;
}

void EventLog::Write(Level level, std::string_view event,
                     const Fields& fields) {
  if (!Writes(level)) return;
  logger()->log(level, "{}",
                options_.format == "json" ? JsonFields(event, fields)
                                          : TextFields(event, fields));
}

void EventLog::Flush() { logger()->flush(); }

}  // namespace coolspan
