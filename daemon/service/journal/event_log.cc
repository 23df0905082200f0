// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/event_log.h"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/control_characters.h"
#include "service/journal/standard_error_sink.h"
#include "service/journal/systemd_journal.h"

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

absl::StatusOr<std::shared_ptr<const EventLog::Output>> EventLog::OutputFor(
    const DaemonFile::Log& options) {
  const Level level = LevelOf(options.level);
  const bool is_default = options.format.empty() && options.file.empty();
  if (options.format == "journal" ||
      (is_default && IsStandardErrorTheJournal())) {
    return std::make_shared<const Output>(
        Output{options, level, false, nullptr});
  }
  const bool is_json = options.format != "text";
  try {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (std::error_code ignored;
        std::filesystem::is_fifo(options.file, ignored)) {
      // Opening it would wait for a reader.
      return absl::UnavailableError(fmt::format(
          "log.file: {} is a FIFO (expected a file)", options.file));
    }
    if (options.file.empty()) {
      sink =
          std::make_shared<StandardErrorSink>([is_json](std::uint64_t count) {
            const Fields fields = {
                {"what", "lines dropped: nobody reads the standard error"},
                {"lines", count}};
            return is_json ? JsonFields("log", fields)
                           : TextFields("log", fields);
          });
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
    }
    auto logger =
        std::make_shared<spdlog::logger>("coolspand", std::move(sink));
    logger->set_pattern(is_json ? kJsonLine : kTextLine,
                        spdlog::pattern_time_type::utc);
    logger->set_level(level);
    logger->flush_on(spdlog::level::warn);
    return std::make_shared<const Output>(
        Output{options, level, is_json, std::move(logger)});
  } catch (const spdlog::spdlog_ex& error) {
    return absl::UnavailableError(
        fmt::format("log.file: {} (expected a writable file)", error.what()));
  }
}

absl::StatusOr<std::unique_ptr<EventLog>> EventLog::Open(
    const DaemonFile::Log& options) {
  auto output = OutputFor(options);
  if (!output.ok()) return output.status();
  return std::unique_ptr<EventLog>(new EventLog(*std::move(output)));
}

void EventLog::Use(std::shared_ptr<const Output> output) {
  const std::lock_guard lock(mutex_);
  output_.swap(output);
}

absl::Status EventLog::Reopen() {
  auto output = OutputFor(this->output()->options);
  if (!output.ok()) return output.status();
  Use(*std::move(output));
  return absl::OkStatus();
}

void EventLog::Write(Level level, std::string_view event,
                     const Fields& fields) {
  const auto output = this->output();
  if (level < output->level) return;
  if (output->logger == nullptr) {
    WriteToJournal(level, event, fields, TextFields(event, fields));
    return;
  }
  output->logger->log(
      level, "{}",
      output->is_json ? JsonFields(event, fields) : TextFields(event, fields));
}

void EventLog::Flush() {
  const auto output = this->output();
  if (output->logger != nullptr) output->logger->flush();
}

}  // namespace coolspan
