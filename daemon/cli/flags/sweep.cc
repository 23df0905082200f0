// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cli/flags/number_checks.h"
#include "core/spec/spec_options.h"
#include "policy/table.h"

namespace coolspan {
namespace {

// One option of a sweep.
struct Axis {
  std::string name;
  NumberRange values;
};

struct Sweep {
  std::vector<Axis> axes;
  std::uint32_t count = 0;
};

absl::Status InvalidSweep(std::string_view text) {
  return absl::InvalidArgumentError(fmt::format(
      "--sweep: '{}' is not valid (expected NAME=FROM:TO:COUNT, with 2 to {} "
      "values; options that change together are separated by commas and have "
      "the same COUNT)",
      text, kMaxSweepCount));
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

absl::StatusOr<Sweep> ReadSweep(std::string_view text) {
  Sweep sweep;
  for (const std::string_view part : SplitAt(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return InvalidSweep(text);
    }
    const auto values = ParseRange(part.substr(equals + 1));
    if (!values || (sweep.count != 0 && sweep.count != values->count)) {
      return InvalidSweep(text);
    }
    sweep.count = values->count;
    sweep.axes.push_back({std::string(part.substr(0, equals)), *values});
  }
  return sweep;
}

// ":alpha=0.5:beta=0.5".
std::string OptionsAt(const Sweep& sweep, std::uint32_t i) {
  std::string options;
  for (const Axis& axis : sweep.axes) {
    options += fmt::format(":{}={:.12g}", axis.name, axis.values.At(i));
  }
  return options;
}

bool HasAll(const std::string& policy, const Sweep& sweep) {
  const PolicyEntry* const entry = FindPolicy(policy);
  return entry != nullptr &&
         std::all_of(sweep.axes.begin(), sweep.axes.end(), [&](const Axis& a) {
           return std::any_of(entry->options.begin(), entry->options.end(),
                              [&a](const SpecOption& option) {
                                return option.name == a.name;
                              });
         });
}

}  // namespace

double NumberRange::At(std::uint32_t i) const {
  if (count == 1) return from;
  const double value =
      from + (to - from) * (static_cast<double>(i) / (count - 1));
  double rounded = value;
  ReadWhole(fmt::format("{:.12g}", value), rounded);
  return rounded;
}

std::optional<NumberRange> ParseRange(std::string_view text) {
  const std::vector<std::string_view> values = SplitAt(text, ':');
  NumberRange range;
  if (values.size() != 3 || !ReadWhole(values[0], range.from) ||
      !ReadWhole(values[1], range.to) || !ReadWhole(values[2], range.count) ||
      range.count < 2 || range.count > kMaxSweepCount) {
    return std::nullopt;
  }
  return range;
}

std::optional<NumberRange> ParseNumberOrRange(std::string_view text) {
  NumberRange number;
  if (!ReadWhole(text, number.from)) return ParseRange(text);
  number.to = number.from;
  return number;
}

absl::StatusOr<std::vector<std::string>> SweepPolicies(
    std::vector<std::string> policies, const std::vector<std::string>& sweeps) {
  for (const std::string& text : sweeps) {
    const absl::StatusOr<Sweep> sweep = ReadSweep(text);
    if (!sweep.ok()) return sweep.status();
    std::vector<std::string> swept;
    bool used = false;
    for (const std::string& policy : policies) {
      if (!HasAll(policy, *sweep)) {
        swept.push_back(policy);
        continue;
      }
      used = true;
      for (std::uint32_t i = 0; i < sweep->count; ++i) {
        swept.push_back(policy + OptionsAt(*sweep, i));
      }
    }
    if (!used) {
      return absl::InvalidArgumentError(fmt::format(
          "--sweep: no policy of the list has the options of '{}' (expected "
          "option names of one policy, as in perimeter=0.2:0.4:3)",
          text));
    }
    policies = std::move(swept);
  }
  return policies;
}

}  // namespace coolspan
