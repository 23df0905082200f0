// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/options/option_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/nearest_name.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

bool HasBounds(const OptionSpec& option) {
  return std::isfinite(option.min) || std::isfinite(option.max);
}

std::string Bounds(const OptionSpec& option) {
  if (!HasBounds(option)) return "";
  if (!std::isfinite(option.max))
    return fmt::format(", at least {}", option.min);
  if (!std::isfinite(option.min))
    return fmt::format(", at most {}", option.max);
  return fmt::format(" from {} to {}", option.min, option.max);
}

bool InBounds(double value, const OptionSpec& option) {
  return value >= option.min && value <= option.max;
}

template <typename T>
bool ParseNumber(const std::string& text, T& out) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end;
}

// yaml-cpp tags quoted scalars "!" and plain ones "?".
bool IsQuoted(const YAML::Node& node) { return node.Tag() == "!"; }

bool ReadScalar(const YAML::Node& node, const OptionSpec& option,
                std::string& out) {
  out = node.Scalar();
  if (option.choices == nullptr) return true;
  const std::vector<std::string_view> choices = option.choices();
  return std::find(choices.begin(), choices.end(), out) != choices.end();
}

bool ReadScalar(const YAML::Node& node, const OptionSpec& option,
                std::int64_t& out) {
  return !IsQuoted(node) && ParseNumber(node.Scalar(), out) &&
         InBounds(static_cast<double>(out), option);
}

bool ReadScalar(const YAML::Node& node, const OptionSpec& option, double& out) {
  return !IsQuoted(node) && ParseNumber(node.Scalar(), out) &&
         std::isfinite(out) && InBounds(out, option);
}

bool ReadScalar(const YAML::Node& node, const OptionSpec&, bool& out) {
  if (IsQuoted(node)) return false;
  out = node.Scalar() == "true";
  return out || node.Scalar() == "false";
}

std::string Suggestion(const YAML::Node& node, const OptionSpec& option) {
  if (option.choices == nullptr || !node.IsScalar()) return "";
  const std::string_view nearest = NearestName(node.Scalar(), option.choices());
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

template <typename T>
std::optional<OptionValue> ReadOne(const YAML::Node& node,
                                   const OptionSpec& option,
                                   ValueProblem& problem) {
  T value{};
  if (node.IsScalar() && ReadScalar(node, option, value)) return value;
  problem = {node.Mark(),
             fmt::format("{}: {} (expected {}){}", option.name,
                         DescribeFound(node, "value"), DescribeExpected(option),
                         Suggestion(node, option))};
  return std::nullopt;
}

template <typename T>
std::optional<OptionValue> ReadList(const YAML::Node& node,
                                    const OptionSpec& option,
                                    ValueProblem& problem) {
  std::vector<T> values;
  const auto append = [&](const YAML::Node& entry) {
    T value{};
    if (!entry.IsScalar() || !ReadScalar(entry, option, value)) {
      problem = {entry.Mark(), fmt::format("{}: {} (expected {})", option.name,
                                           DescribeFound(entry, "entry"),
                                           DescribeExpected(option))};
      return false;
    }
    values.push_back(std::move(value));
    return true;
  };
  if (!node.IsSequence()) {
    if (!append(node)) return std::nullopt;
    return OptionValue(std::move(values));
  }
  for (const YAML::Node& entry : node) {
    if (!append(entry)) return std::nullopt;
  }
  if (values.empty()) {
    problem = {node.Mark(), fmt::format("{}: list is empty (expected {})",
                                        option.name, DescribeExpected(option))};
    return std::nullopt;
  }
  return OptionValue(std::move(values));
}

}  // namespace

std::string DescribeExpected(const OptionSpec& option) {
  switch (option.type) {
    case OptionType::kText:
      return option.choices == nullptr
                 ? "a string"
                 : fmt::format("one of {}", fmt::join(option.choices(), ", "));
    case OptionType::kInteger:
      return "an integer" + Bounds(option);
    case OptionType::kNumber:
      return "a number" + Bounds(option);
    case OptionType::kTextList:
      return "a list of strings";
    case OptionType::kIntegerList:
      return "a list of integers" + Bounds(option);
    case OptionType::kNumberList:
      return "a list of numbers" + Bounds(option);
    case OptionType::kFlagList:
      return "a list of true or false";
    case OptionType::kGroup:
      return "a map of options";
    case OptionType::kRecords:
      return "a list of maps";
  }
  return "";
}

std::string DescribeFound(const YAML::Node& node, std::string_view what) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return fmt::format("invalid {} {}", what, Quoted(node.Scalar()));
    case YAML::NodeType::Sequence:
      return fmt::format("{} is a list", what);
    case YAML::NodeType::Map:
      return fmt::format("{} is a map", what);
    default:
      return fmt::format("{} is empty", what);
  }
}

std::optional<OptionValue> ReadOptionValue(const YAML::Node& node,
                                           const OptionSpec& option,
                                           ValueProblem& problem) {
  switch (option.type) {
    case OptionType::kText:
      return ReadOne<std::string>(node, option, problem);
    case OptionType::kInteger:
      return ReadOne<std::int64_t>(node, option, problem);
    case OptionType::kNumber:
      return ReadOne<double>(node, option, problem);
    case OptionType::kTextList:
      return ReadList<std::string>(node, option, problem);
    case OptionType::kIntegerList:
      return ReadList<std::int64_t>(node, option, problem);
    case OptionType::kNumberList:
      return ReadList<double>(node, option, problem);
    case OptionType::kFlagList:
      return ReadList<bool>(node, option, problem);
    case OptionType::kGroup:
    case OptionType::kRecords:
      break;
  }
  problem = {node.Mark(),
             fmt::format("{}: not a scalar or list option", option.name)};
  return std::nullopt;
}

}  // namespace coolspan
