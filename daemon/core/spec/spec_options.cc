// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/spec_options.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/nearest_name.h"

namespace coolspan {
namespace {

constexpr char kSeparator = ':';

std::string JoinWords(std::span<const std::string_view> words,
                      std::string_view separator) {
  return absl::StrJoin(
      words, std::string(separator),
      [](std::string* out, std::string_view word) { out->append(word); });
}

// "alpha=NUMBER", "ties=least|paper"
std::string Usage(const SpecOption& option) {
  return absl::StrCat(
      std::string(option.name), "=",
      option.words.empty() ? "NUMBER" : JoinWords(option.words, "|"));
}

absl::StatusOr<double> ReadValue(const SpecOption& option,
                                 std::string_view text) {
  if (!option.words.empty()) {
    const auto word = std::find(option.words.begin(), option.words.end(), text);
    if (word == option.words.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the value is not valid (expected ",
                       JoinWords(option.words, " or "), ")"));
    }
    return static_cast<double>(word - option.words.begin());
  }
  double value = 0;
  // absl also reads white space around a number, and hexadecimal ones.
  const bool is_plain =
      text.find_first_of(" \t\r\n\fxX") == std::string_view::npos;
  if (!is_plain || !absl::SimpleAtod(std::string(text), &value)) {
    return absl::InvalidArgumentError(
        "not a number (expected a number as in 0.5)");
  }
  absl::Status in_range = option.Check(value);
  if (!in_range.ok()) return in_range;
  return value;
}

class SpecReader {
 public:
  SpecReader(std::string_view what, std::string_view name,
             std::span<const SpecOption> options)
      : what_(what), name_(name), options_(options) {}

  // part: "alpha=1"
  absl::Status Read(std::string_view part, SpecValues& values) {
    const auto bad = [&](const std::string& problem) {
      return absl::InvalidArgumentError(
          absl::StrCat(what_, " ", name_, ": \"",
                       absl::CHexEscape(std::string(part)), "\": ", problem));
    };
    if (options_.empty()) {
      return bad(absl::StrCat("the ", what_, " takes no options"));
    }
    if (part.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(what_, " ", name_, ": nothing after \":\" (expected ",
                       Usages(), ")"));
    }
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const auto option =
        std::find_if(options_.begin(), options_.end(),
                     [&](const SpecOption& o) { return o.name == name; });
    if (option == options_.end()) {
      std::vector<std::string_view> known;
      for (const SpecOption& o : options_) known.push_back(o.name);
      const std::string nearest(NearestName(name, known));
      return bad(absl::StrCat(
          "not an option of the ", what_,
          nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?"),
          " (expected ", Usages(), ")"));
    }
    if (equals == std::string_view::npos) {
      return bad(absl::StrCat("no value (expected ", Usage(*option), ")"));
    }
    if (!seen_.insert(name).second) return bad("specified more than once");
    const absl::StatusOr<double> value =
        ReadValue(*option, part.substr(equals + 1));
    if (!value.ok()) return bad(std::string(value.status().message()));
    values[std::string(name)] = *value;
    return absl::OkStatus();
  }

 private:
  std::string Usages() const {
    return absl::StrJoin(options_, ", ",
                         [](std::string* out, const SpecOption& option) {
                           out->append(Usage(option));
                         });
  }

  const std::string what_;
  const std::string name_;
  const std::span<const SpecOption> options_;
  std::set<std::string_view> seen_;
};

}  // namespace

absl::Status SpecOption::Check(double value) const {
  if (!words.empty()) {
    if (value >= 0 && value < static_cast<double>(words.size())) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat(value, " is not the index of a word"));
  }
  const std::string range =
      absl::StrCat("(expected ", is_whole ? "a whole number, " : "",
                   min_excluded ? "above " : "", min,
                   min_excluded ? ", at most " : " to ", max, ")");
  const bool above_min = min_excluded ? value > min : value >= min;
  if (!above_min || !(value <= max)) {
    return absl::InvalidArgumentError(
        absl::StrCat(value, " is out of range ", range));
  }
  if (is_whole && value != std::floor(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(value, " has a fraction ", range));
  }
  return absl::OkStatus();
}

std::string_view SpecName(std::string_view spec) {
  return spec.substr(0, spec.find(kSeparator));
}

absl::StatusOr<SpecValues> ReadSpecValues(std::string_view what,
                                          std::string_view spec,
                                          std::span<const SpecOption> options,
                                          const SpecValues& given) {
  SpecValues values;
  for (const SpecOption& option : options) {
    const auto value = given.find(option.name);
    values.emplace(option.name,
                   value == given.end() ? option.default_value : value->second);
  }
  SpecReader reader(what, SpecName(spec), options);
  std::size_t colon = spec.find(kSeparator);
  while (colon != std::string_view::npos) {
    spec.remove_prefix(colon + 1);
    colon = spec.find(kSeparator);
    absl::Status read = reader.Read(spec.substr(0, colon), values);
    if (!read.ok()) return read;
  }
  return values;
}

}  // namespace coolspan
