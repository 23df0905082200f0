// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/option_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/options/option_value.h"
#include "config/options/yaml_text.h"
#include "core/nearest_name.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

// Reads one document. Lets yaml-cpp's exceptions pass: see CatchYamlErrors.
class Reader {
 public:
  Reader(const std::string& file, std::span<const OptionSpec> options)
      : file_(file), options_(options) {}

  absl::Status ReadMap(const YAML::Node& map, const std::string& prefix) {
    if (absl::Status status = CheckKeys(map, prefix); !status.ok()) {
      return status;
    }
    for (std::size_t i = 0; i < options_.size(); ++i) {
      if (!IsChild(options_[i].name, prefix)) continue;
      if (absl::Status status = ReadChild(map, prefix, i); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  std::vector<OptionReading> TakeReadings() { return std::move(readings_); }

 private:
  static bool IsChild(std::string_view name, std::string_view prefix) {
    return name.size() > prefix.size() &&
           name.substr(0, prefix.size()) == prefix &&
           name.find('.', prefix.size()) == std::string_view::npos;
  }

  absl::Status CheckKeys(const YAML::Node& map, const std::string& prefix) {
    std::vector<std::string_view> known;
    for (const OptionSpec& option : options_) {
      if (!IsChild(option.name, prefix)) continue;
      known.push_back(option.name.substr(prefix.size()));
    }
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const Place place = PlaceOf(entry.first.Mark());
      if (!entry.first.IsScalar()) {
        return ErrorAt(file_, place,
                       fmt::format("{} (expected the name of an option)",
                                   DescribeFound(entry.first, "key")));
      }
      const std::string& key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        return ErrorAt(file_, place, UnknownKey(key, prefix, known));
      }
      if (!seen.insert(key).second) {
        return ErrorAt(
            file_, place,
            fmt::format("{}{}: specified more than once", prefix, key));
      }
    }
    return absl::OkStatus();
  }

  static std::string UnknownKey(const std::string& key,
                                const std::string& prefix,
                                std::span<const std::string_view> known) {
    const std::string where =
        prefix.empty()
            ? ""
            : fmt::format(" in {}", prefix.substr(0, prefix.size() - 1));
    const std::string_view nearest = NearestName(key, known);
    return fmt::format(
        "unknown key {}{}{}", Quoted(key), where,
        nearest.empty()
            ? fmt::format(" (expected one of {})", fmt::join(known, ", "))
            : fmt::format("; did you mean \"{}\"?", nearest));
  }

  absl::Status ReadChild(const YAML::Node& map, const std::string& prefix,
                         std::size_t i) {
    const OptionSpec& option = options_[i];
    const std::string_view name = option.name.substr(prefix.size());
    YAML::Node key;
    YAML::Node value(YAML::NodeType::Undefined);
    for (const auto& entry : map) {
      if (entry.first.Scalar() == name) {
        key.reset(entry.first);
        value.reset(entry.second);
      }
    }
    if (!value.IsDefined()) return ReadAbsent(map, i);
    if (value.IsNull()) {
      return ErrorAt(file_, PlaceOf(key.Mark()),
                     fmt::format("{}: no value (expected {})", option.name,
                                 DescribeExpected(option)));
    }
    if (option.type == OptionType::kGroup) return ReadGroup(value, i);
    if (option.type == OptionType::kRecords) return ReadRecords(value, i);
    return ReadValue(value, PlaceOf(value.Mark()), i);
  }

  absl::Status ReadAbsent(const YAML::Node& map, std::size_t i) {
    const OptionSpec& option = options_[i];
    if (option.presence == Presence::kRequired) {
      return ErrorAt(file_, map.IsDefined() ? PlaceOf(map.Mark()) : Place{},
                     fmt::format("{}: missing (expected {})", option.name,
                                 DescribeExpected(option)));
    }
    if (option.default_text.empty()) return absl::OkStatus();
    const YAML::Node value = YAML::Load(std::string(option.default_text));
    if (option.type == OptionType::kGroup) return ReadGroup(value, i);
    return ReadValue(value, Place{}, i);
  }

  absl::Status ReadGroup(const YAML::Node& value, std::size_t i) {
    const OptionSpec& option = options_[i];
    if (!value.IsMap()) {
      return ErrorAt(file_, PlaceOf(value.Mark()),
                     fmt::format("{}: {} (expected a map of options)",
                                 option.name, DescribeFound(value, "value")));
    }
    readings_.push_back({i, {}, PlaceOf(value.Mark())});
    return ReadMap(value, fmt::format("{}.", option.name));
  }

  absl::Status ReadRecords(const YAML::Node& value, std::size_t i) {
    const OptionSpec& option = options_[i];
    if (!value.IsSequence()) {
      return ErrorAt(file_, PlaceOf(value.Mark()),
                     fmt::format("{}: {} (expected a list of maps)",
                                 option.name, DescribeFound(value, "value")));
    }
    for (const YAML::Node& record : value) {
      if (!record.IsMap()) {
        return ErrorAt(
            file_, PlaceOf(record.Mark()),
            fmt::format("{}: {} (expected a map of options)", option.name,
                        DescribeFound(record, "entry")));
      }
      readings_.push_back({i, {}, PlaceOf(record.Mark())});
      absl::Status status = ReadMap(record, fmt::format("{}[].", option.name));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadValue(const YAML::Node& value, Place place, std::size_t i) {
    ValueProblem problem;
    std::optional<OptionValue> read =
        ReadOptionValue(value, options_[i], problem);
    if (!read.has_value()) {
      return ErrorAt(file_, PlaceOf(problem.mark), problem.message);
    }
    readings_.push_back({i, *std::move(read), place});
    return absl::OkStatus();
  }

  const std::string& file_;
  std::span<const OptionSpec> options_;
  std::vector<OptionReading> readings_;
};

absl::StatusOr<YAML::Node> ParseYamlMap(std::string_view text,
                                        const std::string& file) {
  auto document = ParseYaml(text, file, "a map of options");
  if (document.ok() && !document->IsMap()) {
    return ErrorAt(file, PlaceOf(document->Mark()),
                   fmt::format("{} (expected a map of options)",
                               DescribeFound(*document, "document")));
  }
  return document;
}

}  // namespace

absl::StatusOr<std::vector<OptionReading>> ReadOptions(
    std::string_view text, const std::string& file,
    std::span<const OptionSpec> options) {
  using Readings = std::vector<OptionReading>;
  return CatchYamlErrors<Readings>(file, [&]() -> absl::StatusOr<Readings> {
    absl::StatusOr<YAML::Node> map = ParseYamlMap(text, file);
    if (!map.ok()) return map.status();
    Reader reader(file, options);
    absl::Status status = reader.ReadMap(*map, "");
    if (!status.ok()) return status;
    return reader.TakeReadings();
  });
}

absl::StatusOr<std::vector<std::string>> TopLevelKeys(std::string_view text,
                                                      const std::string& file) {
  using Keys = std::vector<std::string>;
  return CatchYamlErrors<Keys>(file, [&]() -> absl::StatusOr<Keys> {
    absl::StatusOr<YAML::Node> map = ParseYamlMap(text, file);
    if (!map.ok()) return map.status();
    Keys keys;
    for (const auto& entry : *map) {
      if (entry.first.IsScalar()) keys.push_back(entry.first.Scalar());
    }
    return keys;
  });
}

}  // namespace coolspan
